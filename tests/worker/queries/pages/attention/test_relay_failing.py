"""Events that the database refused."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.worker.queries.pages.attention.looking import ago, kinds, worst
from tests.worker.queries.pages.attention.outbox import published


def test_events_that_were_refused_are_told_apart_from_those_without_a_taker(conn: Connection) -> None:
    published(conn, since=ago(minutes=5), error="No subscriber is registered for this event type.")
    published(conn, since=ago(minutes=5), error="value too long")
    assert kinds(conn) == [("relay_failing", "warn"), ("unsubscribed", "warn")]
    assert worst(conn, "relay_failing") == 1
