"""What is told from samples and statistics keeps to their keys, and a week of them costs a week and no more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text

from tests.architecture.test_page_plans import Read, plans
from worker.queries import releases as told
from worker.queries import samples as kept
from worker.queries.audit import Actor
from worker.queries.pages import releases, samples, totals
from worker.queries.pages.attention import late, slower

NOW = datetime.now(UTC)
WEEK = NOW - timedelta(days=7)
# By the minute, or handler by handler with the minutes of each: both read the time asked for and no more
STATISTICS = {"pk_statistics_minutes", "ix_statistics_minutes_handler"}
FILL = """
INSERT INTO control.sample_minutes (minute, ready, oldest_seconds, scheduled, running, dead)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 1, 1, 1, 1, 1 FROM generate_series(0, 11500) AS n;
INSERT INTO control.backlog_minutes (minute, queue, handler_key, ready, oldest_seconds, scheduled, running, dead)
SELECT minute, 'queue_' || n, 'type_' || n, 1, 1, 1, 1, 1 FROM control.sample_minutes, generate_series(1, 6) AS n;
INSERT INTO control.finding_minutes (kind, minute, value)
SELECT 'kind_' || n, minute, n FROM control.sample_minutes, generate_series(1, 6) AS n;
INSERT INTO control.statistics_minutes (minute, handler_key, queue, outcome, jobs, run_ms, wait_ms)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 'h', 'q', 'completed', 1, 1, 1
FROM generate_series(0, 60000) AS n;
INSERT INTO control.releases (name, at, told_by)
SELECT 'v' || n, now() - n * interval '1 hour', 'token:ci' FROM generate_series(0, 5000) AS n;
"""
FILLED = ("sample_minutes", "backlog_minutes", "finding_minutes", "statistics_minutes", "releases")


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with the samples of eight days, six weeks of statistics and half a year of releases."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in FILLED:
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text(f"TRUNCATE {', '.join(f'control.{table}' for table in FILLED)}"))


def course(**of: Any) -> Read:
    return lambda conn: samples.backlog(conn, since=NOW - timedelta(hours=1), until=NOW, slot_seconds=60, **of)


PROBED: dict[str, tuple[Read, set[str]]] = {
    "whether a minute was looked at": (kept.is_due, {"pk_sample_minutes"}),
    "what is past its time": (
        kept.prune,
        {"pk_sample_minutes", "pk_backlog_minutes", "pk_tenant_backlog_minutes", "ix_finding_minutes_minute"},
    ),
    "the backlog of everything": (course(), {"pk_sample_minutes"}),
    "the backlog of a queue": (course(queue="queue_1"), {"pk_sample_minutes", "ix_backlog_minutes_queue"}),
    "the backlog of a handler": (course(handler_key="type_1"), {"pk_sample_minutes", "ix_backlog_minutes_handler"}),
    "how often a limit was reached": (
        lambda conn: samples.fired(conn, {"kind_1": 1}, since=WEEK),
        {"pk_finding_minutes", "ix_finding_minutes_minute"},
    ),
    "the releases of a day": (
        lambda conn: releases.between(conn, since=NOW - timedelta(days=1), until=NOW), {"ix_releases_at"},
    ),
    "every attempt that ever ended": (
        lambda conn: totals.read(conn, now=NOW), {"pk_statistics_minutes", "pk_statistics_marks"},
    ),
    "what came late": (
        lambda conn: conn.execute(late.LATE, {"since": NOW - late.WITHIN, "until": NOW}), STATISTICS,
    ),
    "how long runs usually take": (
        lambda conn: conn.execute(slower.USUAL, {"of_minutes": slower.minutes_before(NOW)}), STATISTICS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBED)
def test_what_is_told_of_the_past_reads_only_the_index_that_is_promised(stocked: Connection, name: str) -> None:
    read, promised = PROBED[name]
    for steps in plans(stocked, read):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in FILLED] == []
        used = {step.index for step in steps if step.table in FILLED or step.kind.startswith("Bitmap")} - {None}
        assert used <= promised
        assert used


def test_the_newest_release_is_found_without_the_others(stocked: Connection) -> None:
    read: Read = lambda conn: told.record(conn, name="v0", actor=Actor("token:ci"))  # noqa: E731 - as the others
    (steps,) = [each for each in plans(stocked, read) if any(step.table == "releases" for step in each)]
    assert [step.index for step in steps if step.table == "releases"] == ["ix_releases_at"]
