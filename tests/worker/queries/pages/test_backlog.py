"""The backlog: what is open is counted, what is over is never read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs
from worker.model import Status
from worker.queries.pages import backlog, fleet
from worker.queries.pages.backlog import HEAD, OPEN, OPEN_IN_FULL, OTHERS, READY, Backlog, Depths

LATER: dict[str, Any] = {"scheduled": True, "available_at": NOON + timedelta(minutes=5)}


def read(conn: Connection, **options: Any) -> tuple[Backlog, ...]:
    return backlog.read(conn, held=fleet.held(conn), now=NOON, **options)


def test_nothing_open_is_nothing(conn: Connection) -> None:
    factories.job(conn, status=Status.SUCCEEDED)
    factories.job(conn, status=Status.CANCELLED)
    assert read(conn) == ()
    assert backlog.depths(conn, now=NOON) == Depths({}, 0, 0)


def test_open_work_is_told_apart_by_queue_and_handler(conn: Connection) -> None:
    oldest = NOON - timedelta(hours=2)
    factories.job(conn, queue="mail", available_at=oldest, created_at=oldest)
    factories.job(conn, queue="mail", attempts=2)
    factories.job(conn, queue="mail", attempts=1, **LATER)
    factories.job(conn, queue="mail", status=Status.RUNNING)
    factories.job(conn, queue="mail", status=Status.FAILED, finished_at=NOON)
    of_event: dict[str, Any] = {"event_id": "1", "event_type": "order.created", "subscriber_id": "invoice.render"}
    factories.job(conn, job_type="run_subscriber", **of_event)
    default, mail = read(conn)
    assert (default.queue, default.job_type, default.handler_key) == ("default", "run_subscriber", "invoice.render")
    assert mail == Backlog(
        "mail", "render_report", "render_report",
        ready=2, ready_since=oldest, scheduled=1, next_due=NOON + timedelta(minutes=5),
        retrying=2, running=1, dead=1, died_at=NOON,
    )  # fmt: skip


def test_a_scheduled_job_that_came_due_is_ready_before_a_worker_says_so(conn: Connection) -> None:
    due = NOON - timedelta(seconds=1)
    factories.job(conn, queue="mail", scheduled=True, available_at=due)
    factories.job(conn, queue="mail")
    (mail,) = read(conn)
    assert (mail.ready, mail.scheduled) == (2, 0)
    assert backlog.depths(conn, now=NOON).ready == {"mail": 2}


def test_each_queue_is_counted_in_full_and_told_apart_by_its_oldest_jobs(conn: Connection) -> None:
    jobs(conn, HEAD + 200, queue="mail")
    factories.job(conn, queue="mail", job_type="young", created_at=NOON, available_at=NOON)
    factories.job(conn, queue="other", job_type="young")
    assert backlog.depths(conn, now=NOON).ready == {"mail": HEAD + 201, "other": 1}
    assert [(row.queue, row.job_type, row.ready) for row in read(conn)] == [
        ("mail", "render_report", HEAD),
        ("other", "young", 1),
    ]
    assert [(row.queue, row.job_type, row.ready) for row in read(conn, in_full=True)] == [
        ("mail", "render_report", HEAD + 200),
        ("mail", "young", 1),
        ("other", "young", 1),
    ]


def test_scheduled_and_dead_are_counted_in_all(conn: Connection) -> None:
    jobs(conn, 3, status=Status.FAILED)
    for _ in range(2):
        factories.job(conn, **LATER)
    depths = backlog.depths(conn, now=NOON)
    assert (depths.scheduled, depths.dead) == (2, 3)


@pytest.mark.postgresql
def test_finished_work_is_never_read_however_much_there_is(conn: Connection) -> None:
    conn.exec_driver_sql(
        "INSERT INTO control.platform_jobs (id, job_type, status, finished_at)"
        " SELECT gen_random_uuid(), 'render_report', 'succeeded', now() FROM generate_series(1, 20000)"
    )
    jobs(conn, 200)
    jobs(conn, 20, status=Status.FAILED)
    conn.execute(text("ANALYZE control.platform_jobs"))
    for statement in (OPEN, OPEN_IN_FULL, READY, OTHERS, fleet.HELD):
        compiled: Any = statement.compile(dialect=conn.dialect)
        parameters = compiled.construct_params({"at_now": NOON})
        plan = "\n".join(conn.exec_driver_sql(f"EXPLAIN {compiled}", parameters).scalars())
        assert "platform_jobs" in plan
        assert "Seq Scan on platform_jobs" not in plan, plan
