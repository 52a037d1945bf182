"""Events that nobody subscribes to."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.worker.queries.pages.attention.looking import ago, items, worst
from tests.worker.queries.pages.attention.outbox import published


def test_events_without_a_taker_are_kept_and_told(conn: Connection) -> None:
    for _ in range(2):
        published(conn, since=ago(minutes=5), error="No subscriber is registered for this event type.")
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts.unsubscribed_type) == ("unsubscribed", "warn", "order.created")
    assert worst(conn, "unsubscribed") == 2
