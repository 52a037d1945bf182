"""What attempts came to in a window, from the statistics alone."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.queries.pages import windows
from worker.queries.pages.windows import Durations, Window
from worker.queries.schema import BUCKETS_MS


def window(conn: Connection, hours: int = 24) -> Window:
    return windows.window(windows.ended(conn, hours=hours, now=NOON))


def test_each_outcome_is_counted_apart_within_the_window_only(conn: Connection) -> None:
    recent = {"completed": 3, "failed": 5, "dead_letter": 7, "cancelled": 11, "superseded": 13, "lease_expired": 23}
    for outcome, jobs in recent.items():
        minute(conn, NOON, outcome=outcome, jobs=jobs)
    minute(conn, NOON - timedelta(hours=2), outcome="abandoned", jobs=17)
    minute(conn, NOON - timedelta(hours=2, minutes=1), outcome="abandoned", jobs=19)
    found = window(conn, hours=2)
    assert (found.succeeded, found.failed, found.dead_lettered, found.cancelled) == (3, 5, 7, 11)
    assert (found.superseded, found.abandoned, found.lease_expired) == (13, 17, 23)


def test_run_times_are_those_of_completed_attempts(conn: Connection) -> None:
    minute(conn, NOON, jobs=4, run_ms=2_000, runs={300: 3, 1_000: 1})
    minute(conn, NOON, outcome="failed", jobs=1, run_ms=90_000, runs={100_000: 1})
    found = window(conn)
    assert (found.avg_duration_ms, found.longest_at_most_ms) == (500, 1_000)
    assert found.p95_duration_ms is not None
    assert 300 < found.p95_duration_ms < 1_000
    assert found.durations == Durations(0, 4, 0, 0, 0, 0)


def test_every_bucket_of_the_histogram_is_counted_in_one_step(conn: Connection) -> None:
    minute(conn, NOON, jobs=12, runs=dict.fromkeys(BUCKETS_MS, 1), run_more=1)
    found = window(conn)
    assert found.durations == Durations(up_to_100ms=4, up_to_1s=2, up_to_10s=2, up_to_100s=2, up_to_5m=1, over_5m=1)
    assert found.longest_at_most_ms is None


def test_where_nothing_ran_no_duration_is_made_up(conn: Connection) -> None:
    found = window(conn)
    assert (found.avg_duration_ms, found.p95_duration_ms, found.longest_at_most_ms) == (None, None, None)


def test_a_day_of_busy_workers_is_summed_without_overflow(conn: Connection) -> None:
    minute(conn, NOON, jobs=1, run_ms=2**31, runs={300_000: 1})
    minute(conn, NOON, queue="reports", jobs=1, run_ms=2**31, runs={300_000: 1})
    minute(conn, NOON - timedelta(minutes=1), jobs=1, run_ms=2**31, runs={300_000: 1})
    assert window(conn).avg_duration_ms == 2**31
