"""On the days when clocks are changed, intervals count real seconds: nothing waits an hour or comes twice (A-49)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.conformance.acts import end, jobs, on, relay, sweep, take
from tests.worker.queries.pages.rows import minute
from worker.handlers import Registry
from worker.model import Event, Status
from worker.queries import outbox, retention
from worker.queries.pages import figures, overview
from worker.queries.pages import jobs as listed
from worker.queries.pages.courses import SPANS
from worker.queries.pages.filters import Filters

CHANGES = [
    ("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC)),
    ("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC)),
    ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
]
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture(params=CHANGES, ids=lambda change: f"{change[0]} {change[1]:%B}")
def change(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[datetime]:
    """The moment at which the clocks of this process's time zone are changed."""
    zone, at = request.param
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert (at - MINUTE).astimezone().utcoffset() != at.astimezone().utcoffset()
        yield at
    time.tzset()


def test_a_49_a_lease_and_a_backoff_across_the_change_last_as_long_as_ever(change: datetime, conn: Connection) -> None:
    before = change - 5 * MINUTE
    factories.job(conn, created_at=before, available_at=before)
    (claimed,) = take(conn, now=before, lease_seconds=600)
    assert factories.stored(conn, claimed.id).lease_expires_at == change + 5 * MINUTE
    assert sweep(conn, now=change + 4 * MINUTE).requeued == []
    end(conn, claimed, ValueError("no"), now=change - timedelta(seconds=1))
    assert factories.stored(conn, claimed.id).available_at == change + timedelta(seconds=1)
    assert len(take(conn, now=change + timedelta(seconds=1))) == 1
    assert len(sweep(conn, now=change + 6 * MINUTE).requeued) == 1


def test_a_49_the_relay_goes_on_at_once_and_tells_each_event_once(change: datetime, conn: Connection) -> None:
    registry = on(Registry(), "order.created", "crm.sync")
    for at in (change - MINUTE, change + MINUTE):
        outbox.publish(conn, Event("order.created"), now=at)
        assert relay(conn, registry, now=at).jobs == 1
    assert [row.created_at for row in jobs(conn)] == [change - MINUTE, change + MINUTE]


def test_a_49_what_is_kept_is_kept_for_whole_days(change: datetime, conn: Connection) -> None:
    registry = on(Registry(), "order.created", "crm.sync")
    now = change + DAY
    for at in (now - 2 * DAY - MINUTE, now - 2 * DAY + MINUTE):
        outbox.publish(conn, Event("order.created"), now=at)
        relay(conn, registry, now=at)
    assert retention.prune(conn, retention_days=2, now=now)["events"] == 1


def test_a_49_no_bar_of_a_chart_is_missing_or_there_twice(change: datetime, conn: Connection) -> None:
    now = change + timedelta(hours=12)
    for place in range(72):
        minute(conn, now - place * 20 * MINUTE)
    seen = figures.sample(conn, now=now)
    bars = overview.course(conn, seen, SPANS["24h"])
    assert [bar.at for bar in bars] == [now - place * 20 * MINUTE for place in reversed(range(72))]
    assert {bar.completed for bar in bars} == {1}
    last_hour = figures.sample(conn, now=change + 30 * MINUTE).hour.minutes
    assert [each.at for each in last_hour] == [change + (place - 29) * MINUTE for place in range(60)]


def test_a_49_the_last_day_is_twenty_four_hours(change: datetime, conn: Connection) -> None:
    now = change + timedelta(hours=12)
    inside = factories.job(conn, status=Status.SUCCEEDED, created_at=now - DAY + MINUTE)
    factories.job(conn, status=Status.SUCCEEDED, created_at=now - DAY - MINUTE)
    assert [row.id for row in listed.read(conn, Filters(since="24h"), now=now).rows] == [inside]
