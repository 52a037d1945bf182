"""The flow: what came and went in the last minutes, and how long it ran."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.model import Status, new_id
from worker.queries.pages import flow
from worker.queries.pages.flow import ARRIVALS_READ, Flow, quantile
from worker.queries.schema import RUN_BUCKETS, platform_jobs

JUST = NOON + timedelta(seconds=30)
"""Half a minute into a minute, so that the last five full ones and that half are five and a half."""


def flows(conn: Connection) -> dict[str, Flow]:
    return {each.queue: each for each in flow.read(conn, now=JUST).flows}


def test_an_idle_hour_is_sixty_empty_minutes(conn: Connection) -> None:
    hour = flow.read(conn, now=JUST)
    assert (hour.flows, hour.slices, hour.newest_at) == ((), {}, None)
    assert [each.at for each in hour.minutes] == [NOON - timedelta(minutes=59 - place) for place in range(60)]
    assert {each.attempts for each in hour.minutes} == {0}


def test_rates_are_of_the_last_five_minutes_and_the_one_that_runs(conn: Connection) -> None:
    minute(conn, NOON, jobs=20)
    minute(conn, NOON - timedelta(minutes=5), jobs=80)
    minute(conn, NOON - timedelta(minutes=5), jobs=10, outcome="cancelled")
    minute(conn, NOON - timedelta(minutes=1), jobs=33, outcome="failed")
    minute(conn, NOON - timedelta(minutes=1), jobs=11, outcome="dead_letter")
    minute(conn, NOON - timedelta(minutes=1), jobs=7, outcome="lease_expired")
    minute(conn, NOON - timedelta(minutes=6), jobs=9000)
    mail = flows(conn)["mail"]
    assert mail.finished == pytest.approx((20 + 80 + 10 + 11) / 5.5)
    assert mail.failed == pytest.approx((33 + 11 + 7) / 5.5)
    assert mail.attempts == pytest.approx((20 + 80 + 10 + 33 + 11 + 7) / 5.5)


def test_arrivals_are_counted_from_the_rows_whatever_became_of_them(conn: Connection) -> None:
    for status in (Status.QUEUED, Status.SUCCEEDED, Status.FAILED):
        factories.job(conn, queue="mail", status=status, created_at=NOON - timedelta(minutes=2))
    factories.job(conn, queue="mail", created_at=NOON - timedelta(minutes=6))
    factories.job(conn, queue="mail", created_at=NOON + timedelta(hours=1))
    hour = flow.read(conn, now=JUST)
    assert hour.flows[0].arrived == pytest.approx(3 / 5.5)
    assert hour.newest_at == NOON - timedelta(minutes=2)


def test_a_flood_of_arrivals_is_measured_over_the_time_it_spans(conn: Connection) -> None:
    rows = [
        {"id": new_id(), "created_at": JUST - timedelta(milliseconds=5 * place)} for place in range(ARRIVALS_READ + 1)
    ]
    conn.execute(insert(platform_jobs).values(job_type="render_report", queue="mail"), rows)
    factories.job(conn, queue="quiet", created_at=NOON - timedelta(minutes=3))
    arrived = {queue: each.arrived for queue, each in flows(conn).items()}
    assert arrived == {"mail": pytest.approx(12_000, rel=0.01)}


def test_the_course_is_told_by_minute_and_by_queue(conn: Connection) -> None:
    minute(conn, NOON - timedelta(minutes=59), queue="mail", jobs=4, run_ms=120_000, wait_ms=2_000)
    minute(conn, NOON - timedelta(minutes=59), queue="other", jobs=1, outcome="dead_letter")
    minute(conn, NOON - timedelta(minutes=60), queue="mail", jobs=1000)
    minute(conn, NOON, queue="mail", jobs=7)
    hour = flow.read(conn, now=JUST)
    first, last = hour.minutes[0], hour.minutes[-1]
    assert (first.completed, first.failed, first.died, first.attempts) == (4, 1, 1, 5)
    assert (first.busy, first.wait_seconds) == (2.0, 0.4)
    assert last.completed == 7
    assert hour.slices["mail"] == (4, *[0] * 11, 7)


def test_run_times_are_those_of_completed_attempts(conn: Connection) -> None:
    minute(conn, NOON - timedelta(minutes=30), jobs=3, runs={10: 1, 1000: 2})
    minute(conn, NOON - timedelta(minutes=30), jobs=5, outcome="failed", runs={3: 5})
    runs = dict(zip(RUN_BUCKETS, flows(conn)["mail"].runs, strict=True))
    assert {name: count for name, count in runs.items() if count} == {"run_10": 1, "run_1000": 2}


def counts(**by_bound: int) -> list[int]:
    return [by_bound.get(name, 0) for name in RUN_BUCKETS]


@pytest.mark.parametrize(
    ("runs", "share", "seconds"),
    [
        (counts(), 0.5, None),
        (counts(run_3=10), 0.5, 0.0015),
        (counts(run_100=100), 0.5, 0.065),
        (counts(run_10=50, run_100=50), 0.5, 0.01),
        (counts(run_10=95, run_30000=5), 0.95, 0.01),
        (counts(run_10=90, run_30000=10), 0.95, 20.0),
        (counts(run_more=3), 0.5, 300.0),
    ],
    ids=str,
)
def test_a_quantile_lies_straight_between_two_bounds(runs: list[int], share: float, seconds: float | None) -> None:
    assert quantile(runs, share) == (None if seconds is None else pytest.approx(seconds))


def test_what_a_clock_that_was_set_back_left_in_the_future_is_not_of_this_hour(conn: Connection) -> None:
    minute(conn, NOON + timedelta(hours=2), queue="mail", jobs=3)
    hour = flow.read(conn, now=NOON)
    assert (hour.flows, hour.slices) == ((), {})
