"""S2, the bus and the outbox: what may be lost, what may not, and what says which."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, func, select
from structlog.testing import capture_logs

from tests.app.shell import Shell
from tests.conformance.acts import end, jobs, on, relay, take
from tests.factories import NOON
from tests.worker.runtime.bench import settings
from worker import Event, publish
from worker.bus import Bus
from worker.errors import ConfigurationError
from worker.handlers import Registry
from worker.model import RUN_SUBSCRIBER
from worker.queries.outbox import NOBODY
from worker.queries.schema import event_outbox, platform_jobs
from worker.runtime.hosting import start_job_worker


def stored(conn: Connection) -> tuple[int, int]:
    """How many events and jobs are in the database."""
    events, made = (
        conn.execute(select(func.count()).select_from(each)).scalar_one() for each in (event_outbox, platform_jobs)
    )
    return events, made


def test_s2_01_a_failing_bus_subscriber_is_logged_and_its_event_is_gone() -> None:
    def fail(event: Event) -> None:
        calls.append(event)
        raise RuntimeError("no cache")

    calls: list[Event] = []
    bus = Bus()
    bus.subscribe("order.created", fail)
    with capture_logs() as said:
        bus.publish(Event("order.created"))
    assert len(calls) == 1
    assert [(entry["event"], entry["log_level"]) for entry in said] == [("event.lost", "error")]


def test_s2_02_each_pair_is_a_row_that_is_retried_and_dead_lettered(conn: Connection) -> None:
    known = on(Registry(), "order.created", "invoice.render", "stock.reserve", max_attempts=2)
    publish(conn, Event("order.created"), now=NOON)
    relay(conn, known, now=NOON)
    assert len(jobs(conn)) == 2
    first, second = take(conn, RUN_SUBSCRIBER, limit=2)
    assert (end(conn, first), end(conn, second, RuntimeError("down"))) == ("succeeded", "queued")
    later = max(row.available_at for row in jobs(conn))
    (again,) = take(conn, RUN_SUBSCRIBER, limit=2, now=later)
    assert again.id == second.id
    assert end(conn, again, RuntimeError("down"), now=later) == "failed"


def test_s2_03_without_a_database_it_says_what_is_missing(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="DATABASE_URL is not set"):
        start_job_worker(settings(database_url=None), Registry())
    refusal = Shell("").refused("worker", "--data", str(tmp_path), code=78)
    assert "DATABASE_URL" in refusal


def test_s2_04_nothing_is_durable_that_was_not_published_on_a_connection(conn: Connection) -> None:
    known = on(Registry(), "order.created", "invoice.render")
    known.bus.publish(Event("order.created"))
    assert stored(conn) == (0, 0)
    publish(conn, Event("order.created"))
    assert stored(conn) == (1, 0)


def test_s2_10_the_bus_stores_nothing_and_a_connection_always_keeps(conn: Connection) -> None:
    known = Registry()
    heard: list[Event] = []
    known.bus.subscribe("order.created", heard.append)
    known.bus.publish(Event("order.created"))
    assert (len(heard), stored(conn)) == (1, (0, 0))
    publish(conn, Event("order.created"))
    relay(conn, known)
    assert (len(heard), stored(conn)) == (1, (1, 0))
    kept = conn.execute(select(event_outbox)).one()
    assert (kept.relayed_at, kept.relay_error) == (None, NOBODY)
