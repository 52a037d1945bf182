"""What the admin API reads keeps to an index too: its answers cost the page they fill, not the history behind it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import ATTEMPT, DEAD, EVENT, ROW, Read, plans
from worker.model import new_id
from worker.queries.pages import attempts, histories, roster, summary, windows, workers

NOW = datetime.now(UTC)
RAN, STARTED = "ix_job_attempts_worker", "ix_worker_instances_page"
# PostgreSQL 18 also finds a span of minutes handler by handler
MINUTES, MINUTES_OF = "pk_statistics_minutes", "ix_statistics_minutes_handler"
FILL = """
UPDATE control.job_attempts SET worker_id = 'w-' || abs(hashtext(job_id::text)) % 400;
INSERT INTO control.worker_instances (instance_id, component, job_types, concurrency, started_at, last_heartbeat_at)
SELECT 'w-' || n, 'worker', '{a}', 8, now() - n * interval '1 minute', now() FROM generate_series(0, 20000) AS n;
INSERT INTO control.statistics_minutes (minute, handler_key, queue, outcome, jobs, run_ms, wait_ms)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 'h', 'q', 'completed', 1, 1, 1
FROM generate_series(0, 80000) AS n;
"""
FILLED = ("job_attempts", "worker_instances", "statistics_minutes")


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with attempts by many workers, the workers themselves, and two months of statistics."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in FILLED:
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text("TRUNCATE control.worker_instances, control.statistics_minutes"))


def pages_of_a_worker(conn: Connection) -> None:
    page = attempts.of_worker(conn, instance_id="w-7", limit=20)
    assert page.next_cursor
    attempts.of_worker(conn, instance_id="w-7", limit=20, cursor=page.next_cursor)


def pages_of_workers(conn: Connection) -> None:
    _, cursor = workers.every(conn, cursor=None, limit=20, now=NOW)
    assert cursor
    workers.every(conn, cursor=cursor, limit=20, now=NOW)


def outcomes_of_workers(conn: Connection) -> None:
    values = {"of_workers": ["w-1", "w-2"], "since": NOW - timedelta(hours=24)}
    conn.execute(roster.ENDED, values)


PROBED: dict[str, tuple[Read, set[str]]] = {
    "the newest dead letters": (lambda conn: conn.execute(summary.DIED_LAST, {"at_most": 50}), {DEAD, ATTEMPT}),
    "the statistics of a day": (lambda conn: windows.ended(conn, hours=24, now=NOW), {MINUTES, MINUTES_OF}),
    "a job": (lambda conn: histories.job_of(conn, job_id=new_id(), attempt_limit=50, now=NOW), {ROW, ATTEMPT}),
    "an event's jobs": (
        lambda conn: histories.jobs_of(conn, event_id="event-7", attempt_limit=20, now=NOW),
        {EVENT, ROW, ATTEMPT},
    ),
    "a worker's attempts": (pages_of_a_worker, {RAN, ROW}),
    "workers": (pages_of_workers, {STARTED}),
    "how a worker's attempts ended": (outcomes_of_workers, {RAN, "pk_worker_instances"}),
}


@pytest.mark.parametrize("name", PROBED)
def test_an_answer_reads_only_the_index_that_is_promised(stocked: Connection, name: str) -> None:
    read, promised = PROBED[name]
    tables = {*TABLES, *FILLED}
    for steps in plans(stocked, read):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in tables] == []
        used = {step.index for step in steps if step.table in tables or step.kind.startswith("Bitmap")} - {None}
        assert used <= promised
        assert used


@pytest.mark.parametrize("name", ["the newest dead letters", "a worker's attempts", "workers"])
def test_a_list_is_sorted_by_its_index(stocked: Connection, name: str) -> None:
    for steps in plans(stocked, PROBED[name][0]):
        kinds = [step.kind for step in steps]
        assert "Sort" not in kinds[kinds.index("Limit") :]
