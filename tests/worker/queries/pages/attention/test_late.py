"""Success only on a late attempt."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from tests.worker.queries.pages.rows import minute


def test_a_handler_that_often_needs_three_attempts_is_named(conn: Connection) -> None:
    minute(conn, ago(minutes=50), handler="mail.send", jobs=20, late=4)
    minute(conn, ago(minutes=5), handler="mail.send", jobs=20, late=4)
    minute(conn, ago(minutes=5), handler="crm.sync", jobs=99, late=9)
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts.handler_key, item.facts.late) == ("late", "warn", "mail.send", 8)
    assert worst(conn, "late") == 0.2


def test_a_few_are_no_habit_and_an_hour_ago_is_past(conn: Connection) -> None:
    minute(conn, ago(minutes=5), handler="mail.send", jobs=4, late=4)
    minute(conn, ago(minutes=61), handler="mail.send", jobs=50, late=50)
    assert kinds(conn) == []
