"""Events that wait for the relay."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.worker.queries.pages.attention.looking import ago, kinds, worst
from tests.worker.queries.pages.attention.outbox import published


def test_events_that_wait_for_the_relay_are_urgent_after_a_minute(conn: Connection) -> None:
    published(conn, since=ago(seconds=61))
    assert kinds(conn) == [("unrelayed", "urgent")]
    assert worst(conn, "unrelayed") == 61
