"""The relay: events become jobs, batch by batch, and those that cannot are told."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, Engine, func, select
from structlog.testing import LogCapture

from tests.worker.runtime.bench import captured
from worker import Event, publish
from worker.queries.schema import event_outbox, platform_jobs
from worker.runtime.relay import Relay
from worker.subscribers import Subscribers


@pytest.fixture
def subscribers() -> Subscribers:
    known = Subscribers()
    for name in ("orders.mail", "orders.ledger"):
        known.register("order.paid", name, lambda job: None)
    return known


def relay(engine: Engine, subscribers: Subscribers) -> tuple[Callable[[], bool], LogCapture]:
    log, said = captured()
    return Relay(engine, subscribers, log).tick, said


def test_an_event_becomes_one_job_per_subscriber(engine: Engine, conn: Connection, subscribers: Subscribers) -> None:
    publish(conn, Event("order.paid"))
    tick, _ = relay(engine, subscribers)
    tick()
    tick()
    keys = conn.execute(select(platform_jobs.c.subscriber_id).order_by(platform_jobs.c.subscriber_id)).scalars()
    assert list(keys) == ["orders.ledger", "orders.mail"]


def test_it_looks_on_while_batches_are_full(engine: Engine, conn: Connection, subscribers: Subscribers) -> None:
    for _ in range(101):
        publish(conn, Event("order.paid"))
    tick, _ = relay(engine, subscribers)
    assert [tick(), tick()] == [True, False]
    pending = select(func.count()).where(event_outbox.c.relayed_at.is_(None))
    assert conn.execute(pending).scalar_one() == 0


def test_a_60_an_event_that_nobody_takes_is_kept_and_told(
    engine: Engine, conn: Connection, subscribers: Subscribers
) -> None:
    publish(conn, Event("order.lost"))
    tick, said = relay(engine, subscribers)
    tick()
    (entry,) = [entry for entry in said.entries if entry["event"] == "events.parked"]
    assert (entry["log_level"], entry["unsubscribed"], entry["failed"]) == ("warning", 1, 0)
    assert conn.execute(select(event_outbox.c.relayed_at)).scalar_one() is None
