"""How one queue and one job type stand."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs, minute
from worker.queries.pages import figures, queue
from worker.queries.pages.queue import Standing


def of_queue(conn: Connection, name: str) -> Standing:
    return queue.of_queue(conn, figures.sample(conn, now=NOON), name)


def test_a_queue_is_told_by_handler_and_a_handler_by_queue(conn: Connection) -> None:
    for place, kind in (("mail", "send"), ("mail", "render"), ("slow", "render")):
        factories.job(conn, queue=place, job_type=kind)
    minute(conn, NOON, queue="mail", handler="gone")
    minute(conn, NOON, queue="old", handler="render")
    found = of_queue(conn, "mail")
    assert {part.name: part.ready for part in found.parts} == {"send": 1, "render": 1, "gone": 0}
    assert found.load
    assert found.load.ready == 2
    by_queue = queue.of_handler(conn, figures.sample(conn, now=NOON), "render")
    assert {part.name: part.ready for part in by_queue.parts} == {"mail": 1, "slow": 1, "old": 0}
    assert by_queue.load
    assert by_queue.load.ready == 2


def test_a_queue_of_which_nothing_is_known_stands_empty(conn: Connection) -> None:
    assert of_queue(conn, "nowhere") == Standing(None, [], [], {})


def test_a_deep_queue_is_counted_beyond_its_head(conn: Connection) -> None:
    jobs(conn, 1_100, queue="mail")
    jobs(conn, 5, queue="mail", job_type="late", created_at=NOON)
    found = of_queue(conn, "mail")
    assert {part.name: part.ready for part in found.parts} == {"render_report": 1_100, "late": 5}


def test_who_ran_it_last_is_named_where_nobody_does(conn: Connection) -> None:
    factories.worker_instance(conn, "old", job_types=["render_report"], last_heartbeat_at=NOON - timedelta(hours=2))
    factories.job(conn, queue="mail")
    assert of_queue(conn, "mail").last_able["render_report"].instance_id == "old"
