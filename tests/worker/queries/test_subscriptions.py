"""Subscribers of the whole deployment: a relay that lacks one leaves its events to a relay that has it."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from tests.factories import NOON
from worker import Event, publish
from worker.queries.outbox import Relayed
from worker.queries.outbox import relay as relay_events
from worker.queries.schema import event_outbox, platform_jobs
from worker.queries.subscriptions import FORGOTTEN_SECONDS, declare
from worker.subscribers import Subscribers

LATER = NOON + timedelta(seconds=FORGOTTEN_SECONDS)


def registered(**types: str) -> Subscribers:
    """Subscribers by id, each of this type of event."""
    known = Subscribers()
    for name, event_type in types.items():
        known.register(event_type, name, lambda job: None)
    return known


NONE, HALF, ALL = registered(), registered(mail="order.paid"), registered(mail="order.paid", ledger="order.paid")


def relay(conn: Connection, known: Subscribers, *, now: datetime) -> Relayed:
    """One pass of a relay that knows these."""
    with conn.engine.begin() as mine:
        return relay_events(mine, known, now=now)


def waiting(conn: Connection) -> int:
    """How many events are not relayed yet."""
    return int(conn.execute(select(func.count()).where(event_outbox.c.relayed_at.is_(None))).scalar_one())


def test_each_process_learns_what_the_others_register(conn: Connection) -> None:
    assert declare(conn, HALF, now=NOON) == []
    assert declare(conn, ALL, now=NOON) == []
    assert declare(conn, HALF, now=NOON) == ["ledger"]
    assert declare(conn, NONE, now=NOON) == ["ledger", "mail"]


def test_what_nobody_registers_any_more_is_forgotten(conn: Connection) -> None:
    declare(conn, ALL, now=NOON)
    assert declare(conn, HALF, now=LATER - timedelta(microseconds=1)) == ["ledger"]
    assert declare(conn, HALF, now=LATER) == []


def test_a_60_with_no_subscriber_then_half_then_all_every_job_exists_in_the_end(conn: Connection) -> None:
    declare(conn, ALL, now=NOON)
    for _ in range(3):
        publish(conn, Event("order.paid"), now=NOON)
    for incomplete in (NONE, HALF):
        came_to = relay(conn, incomplete, now=NOON)
        assert (came_to.events, came_to.jobs, waiting(conn)) == (0, 0, 3)
    assert relay(conn, ALL, now=NOON).jobs == 6
    assert (waiting(conn), conn.execute(select(func.count()).select_from(platform_jobs)).scalar()) == (0, 6)


def test_events_wait_for_a_subscriber_that_is_gone_only_until_it_is_forgotten(conn: Connection) -> None:
    declare(conn, ALL, now=NOON)
    publish(conn, Event("order.paid"), now=NOON)
    assert relay(conn, HALF, now=LATER - timedelta(microseconds=1)).events == 0
    assert relay(conn, HALF, now=LATER).jobs == 1


def test_events_of_other_types_do_not_wait(conn: Connection) -> None:
    declare(conn, registered(stock="order.sent"), now=NOON)
    publish(conn, Event("order.sent"), now=NOON)
    publish(conn, Event("order.paid"), now=NOON)
    assert relay(conn, HALF, now=NOON).jobs == 1


def test_one_that_was_set_aside_waits_for_it_too(conn: Connection) -> None:
    publish(conn, Event("order.paid"), now=NOON)
    assert relay(conn, NONE, now=NOON).unsubscribed == 1
    later = NOON + timedelta(seconds=60)
    declare(conn, ALL, now=later)
    assert relay(conn, HALF, now=later).events == 0
    assert relay(conn, ALL, now=later).jobs == 2


def test_a_subscriber_that_changes_its_event_is_waited_for_at_the_new_one(conn: Connection) -> None:
    declare(conn, ALL, now=NOON)
    declare(conn, registered(ledger="order.sent"), now=NOON)
    publish(conn, Event("order.paid"), now=NOON)
    publish(conn, Event("order.sent"), now=NOON)
    assert relay(conn, HALF, now=NOON).jobs == 1
    assert waiting(conn) == 1
