"""What charts show of a queue, a handler or everything, bar by bar."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.queries.pages import courses
from worker.queries.pages.courses import SPANS, Slot

NOW = NOON + timedelta(minutes=7)
HOUR = SPANS["1h"]


@pytest.mark.parametrize(("span", "first"), [("1h", "11:08"), ("24h", "12:20"), ("7d", "14:00")])
def test_a_chart_ends_with_the_bar_that_runs(span: str, first: str) -> None:
    starts = SPANS[span].starts(NOW)
    assert len(starts) == SPANS[span].slots
    assert f"{starts[0]:%H:%M}" == first
    assert starts[-1] <= NOW < starts[-1] + SPANS[span].width


def test_a_chart_is_of_a_queue_a_handler_both_or_everything(conn: Connection) -> None:
    minute(conn, NOON, queue="mail", handler="send", jobs=1)
    minute(conn, NOON, queue="mail", handler="render", jobs=10)
    minute(conn, NOON, queue="slow", handler="render", jobs=100)
    found = [
        courses.read(conn, HOUR, queue=queue, handler=handler, now=NOW)[-8].completed
        for queue, handler in ((None, None), ("mail", None), (None, "render"), ("mail", "render"))
    ]
    assert found == [111, 11, 110, 10]


def test_a_bar_knows_how_attempts_ended(conn: Connection) -> None:
    for outcome, jobs in (("completed", 5), ("failed", 3), ("dead_letter", 2), ("lease_expired", 1), ("cancelled", 7)):
        minute(conn, NOON, outcome=outcome, jobs=jobs)
    slot = courses.read(conn, HOUR, now=NOW)[-8]
    assert (slot.completed, slot.failed, slot.died) == (5, 6, 2)


def test_run_times_are_those_of_what_completed_and_waits_those_of_all(conn: Connection) -> None:
    minute(conn, NOON, runs={100: 10}, wait_30=10)
    minute(conn, NOON, outcome="failed", runs={10_000: 10}, wait_1000=10)
    slot = courses.read(conn, HOUR, now=NOW)[-8]
    assert slot.run_seconds(0.95) == pytest.approx(0.0965)
    assert slot.wait_seconds(0.5) == pytest.approx(0.03)
    assert slot.wait_seconds(1) == 1


def test_a_bar_in_which_nothing_ended_has_no_times(conn: Connection) -> None:
    slots = courses.read(conn, HOUR, now=NOW)
    assert slots == [Slot(at) for at in HOUR.starts(NOW)]
    assert (slots[0].run_seconds(0.5), slots[0].wait_seconds(0.5)) == (None, None)
