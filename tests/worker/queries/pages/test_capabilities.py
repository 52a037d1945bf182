"""Who can run what, and what a drain would stop."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.queries.pages import capabilities, figures
from worker.queries.pages.capabilities import Cell, Matrix


def matrix(conn: Connection) -> Matrix:
    return capabilities.matrix(figures.sample(conn, now=NOON))


def test_job_types_stand_against_components_with_what_is_ready(conn: Connection) -> None:
    factories.worker_instance(conn, "a1", component="a", job_types=["mail", "report"])
    factories.worker_instance(conn, "a2", component="a", job_types=["mail", "report"])
    factories.worker_instance(
        conn, "b", component="b", job_types=["train"], last_heartbeat_at=NOON - timedelta(minutes=5)
    )
    factories.job(conn, job_type="train", available_at=NOON - timedelta(minutes=7))
    factories.job(conn, job_type="mail", status=Status.RUNNING, locked_by="a1")
    factories.job(conn, job_type="unheard")
    seen = matrix(conn)
    assert seen.components == {"a": 2, "b": 0}
    cells = {row.job_type: (row.cells, row.ready, row.served) for row in seen.rows}
    assert cells == {
        "mail": ([Cell(2, 0, 1, 2), Cell(0, 0, 0, 1)], 0, True),
        "report": ([Cell(2, 0, 0, 2), Cell(0, 0, 0, 1)], 0, True),
        "train": ([Cell(0, 0, 0, 2), Cell(0, 1, 0, 1)], 1, False),
        "unheard": ([Cell(0, 0, 0, 2), Cell(0, 0, 0, 1)], 1, False),
    }
    assert next(row.since for row in seen.rows if row.job_type == "train") == NOON - timedelta(minutes=7)


def test_where_processes_of_a_component_differ_it_is_told_who_can_do_more(conn: Connection) -> None:
    for name in ("a1", "a2", "a3"):
        factories.worker_instance(conn, name, component="a", job_types=["mail", *(["report"] if name == "a2" else [])])
    factories.worker_instance(conn, "b1", component="b")
    seen = matrix(conn)
    (found,) = seen.differences
    assert found.component == "a"
    assert [([each.instance_id for each in them.workers], them.job_types) for them in found.variants] == [
        (["a1", "a3"], ()),
        (["a2"], ("report",)),
    ]
    assert seen.mixed == {"a"}
    assert [row.job_type for row in seen.rows if row.cells[0].is_partial] == ["report"]


def test_one_that_drains_may_differ(conn: Connection) -> None:
    factories.worker_instance(conn, "a1", component="a", job_types=["mail"])
    factories.worker_instance(conn, "a2", component="a", job_types=["mail", "report"], drain_requested_at=NOON)
    assert matrix(conn).differences == []


def only_here(conn: Connection, instance_id: str) -> list[str]:
    seen = figures.sample(conn, now=NOON)
    return capabilities.only_here(seen, next(each for each in seen.workers if each.instance_id == instance_id))


def test_a_drain_stops_what_no_other_live_worker_takes(conn: Connection) -> None:
    factories.worker_instance(conn, "a", job_types=["mail", "report", "train"])
    factories.worker_instance(conn, "b", job_types=["mail", "report"])
    factories.worker_instance(conn, "c", job_types=["train"], last_heartbeat_at=NOON - timedelta(minutes=5))
    assert only_here(conn, "a") == ["train"]
    assert only_here(conn, "b") == []


def test_a_drain_stops_a_type_on_the_queues_that_only_this_worker_serves(conn: Connection) -> None:
    factories.worker_instance(conn, "a", job_types=["mail"], queues=["bulk", "mail"])
    factories.worker_instance(conn, "b", job_types=["mail"], queues=["mail"])
    factories.job(conn, job_type="mail", queue="bulk")
    assert only_here(conn, "a") == ["mail"]
