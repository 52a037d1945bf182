"""Runs that take longer than they did the day before."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests.factories import NOON
from tests.worker.queries.pages.attention.looking import ago, items, worst
from tests.worker.queries.pages.rows import minute


def yesterday(conn: Connection, bound: int, runs: int = 60) -> None:
    minute(conn, NOON - timedelta(hours=5), jobs=runs, runs={bound: runs})


def test_a_handler_that_takes_twice_as_long_is_named(conn: Connection) -> None:
    yesterday(conn, 3_000)
    minute(conn, ago(minutes=5), jobs=60, runs={10_000: 60})
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts.handler_key) == ("slower", "warn", "render_report")
    assert (item.facts.seconds, item.facts.usual_seconds) == (pytest.approx(9.65), pytest.approx(2.9))
    assert worst(conn, "slower") == pytest.approx(3.33, abs=0.01)


@pytest.mark.parametrize(
    ("before", "now", "runs"),
    [(3_000, 3_000, 60), (3_000, 10_000, 49), (100, 300, 60)],
    ids=["as ever", "too few to tell", "too short to matter"],
)
def test_what_tells_nothing_is_not_named(conn: Connection, before: int, now: int, runs: int) -> None:
    yesterday(conn, before)
    minute(conn, ago(minutes=5), jobs=runs, runs={now: runs})
    assert items(conn) == []
