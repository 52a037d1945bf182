"""Totals: every minute is in them once, whoever adds it up, and stays when it is forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, delete, select

from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.queries.pages import totals as read
from worker.queries.schema import statistics_marks, statistics_minutes, statistics_totals
from worker.queries.totals import KEPT_DAYS, advance

MINUTE = timedelta(minutes=1)


def counted(conn: Connection, *, now: datetime = NOON) -> list[int]:
    return [each.jobs for each in read.read(conn, now=now)]


def mark(conn: Connection) -> datetime:
    at: datetime = conn.execute(select(statistics_marks.c.minute)).scalar_one()
    return at


def test_counting_begins_with_the_first_look(conn: Connection) -> None:
    minute(conn, NOON - timedelta(days=3), jobs=7)
    assert counted(conn) == []
    assert not advance(conn, now=NOON)
    assert (mark(conn), counted(conn)) == (NOON - 5 * MINUTE, [])


def test_what_ended_is_counted_at_once_and_once(conn: Connection) -> None:
    advance(conn, now=NOON)
    minute(conn, NOON, jobs=3, run_ms=70, runs={30: 3})
    minute(conn, NOON + MINUTE, jobs=4, run_ms=30, runs={30: 1, 100: 3})
    for after in range(2, 12):
        advance(conn, now=NOON + after * MINUTE)
        [total] = read.read(conn, now=NOON + after * MINUTE)
        assert (total.jobs, total.run_ms, total.runs[2:4]) == (7, 100, (4, 3))
    assert conn.execute(select(statistics_totals.c.jobs)).scalars().all() == [7]


def test_the_minutes_may_be_forgotten(conn: Connection) -> None:
    advance(conn, now=NOON)
    minute(conn, NOON, jobs=3)
    advance(conn, now=NOON + 10 * MINUTE)
    conn.execute(delete(statistics_minutes))
    assert counted(conn, now=NOON + 10 * MINUTE) == [3]


def test_after_a_long_pause_an_hour_is_added_at_a_time(conn: Connection) -> None:
    advance(conn, now=NOON)
    for hour in range(4):
        minute(conn, NOON + timedelta(hours=hour), jobs=1)
    later = NOON + timedelta(hours=3, minutes=30)
    steps = []
    while advance(conn, now=later):
        steps.append((mark(conn) - NOON) / MINUTE)
        assert counted(conn, now=later) == [4]
    assert steps == [55, 115, 175, 205]


def test_handlers_queues_and_outcomes_are_told_apart_the_first_first(conn: Connection) -> None:
    advance(conn, now=NOON)
    minute(conn, NOON, queue="z", jobs=1)
    advance(conn, now=NOON + 10 * MINUTE)
    later = NOON + 11 * MINUTE
    minute(conn, later, queue="a", handler="train", outcome="dead_letter", jobs=2)
    minute(conn, later, queue="a", handler="train", jobs=3)
    found = [(each.queue, each.handler_key, each.outcome, each.jobs) for each in read.read(conn, now=later)]
    assert found == [
        ("z", "render_report", "completed", 1), ("a", "train", "completed", 3), ("a", "train", "dead_letter", 2),
    ]  # fmt: skip


def test_a_name_that_nothing_ended_under_for_long_is_forgotten(conn: Connection) -> None:
    advance(conn, now=NOON)
    minute(conn, NOON, jobs=3)
    advance(conn, now=NOON + 10 * MINUTE)
    conn.execute(delete(statistics_minutes))
    conn.execute(statistics_marks.update().values(minute=NOON + timedelta(days=KEPT_DAYS)))
    advance(conn, now=NOON + timedelta(days=KEPT_DAYS, hours=1))
    assert conn.execute(select(statistics_totals)).all() == []


@pytest.mark.postgresql
def test_of_several_who_add_up_at_once_each_minute_is_added_by_one(conn: Connection, engine: Engine) -> None:
    advance(conn, now=NOON)
    for place in range(30):
        minute(conn, NOON + place * MINUTE, jobs=1)

    def add(_: int) -> bool:
        with engine.begin() as own:
            return advance(own, now=NOON + 40 * MINUTE)

    with ThreadPoolExecutor(4) as pool:
        moved = list(pool.map(add, range(8)))
    assert moved.count(True) == 1
    assert conn.execute(select(statistics_totals.c.jobs)).scalars().all() == [30]
