"""Work that nobody can run."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst


def test_work_that_nobody_can_run_names_who_could_last(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "trainer", component="trainer", job_types=["train"], last_heartbeat_at=ago(hours=3))
    factories.job(conn, job_type="train", available_at=ago(minutes=41))
    (item,) = items(conn)
    assert (item.kind, item.level) == ("unserved", "urgent")
    assert (item.facts["last"].component, item.facts["elsewhere"]) == ("trainer", [])


def test_a_type_that_runs_on_other_queues_says_where(conn: Connection) -> None:
    factories.worker_instance(conn, queues=["default"])
    factories.job(conn, queue="bulk")
    (item,) = items(conn)
    assert [worker.instance_id for worker in item.facts["elsewhere"]] == ["worker-1"]


def test_half_a_minute_without_a_worker_is_a_deployment(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["other"])
    factories.job(conn, available_at=ago(seconds=29))
    assert items(conn) == []


def test_where_no_worker_lives_one_line_says_so(conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=ago(minutes=5))
    for job_type in ("render_report", "train"):
        factories.job(conn, job_type=job_type)
    assert kinds(conn) == [("nobody", "urgent")]


def test_how_long_it_waited_is_how_bad_it_is(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["other"])
    factories.job(conn, available_at=ago(seconds=40))
    assert worst(conn, "unserved") == 40
    assert kinds(conn, finding_unserved_seconds=41) == []
