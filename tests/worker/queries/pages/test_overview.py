"""The Overview's charts and pulses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.queries.pages import figures, overview
from worker.queries.pages.courses import SPANS, Slot
from worker.queries.pages.flow import Minute


def course(conn: Connection, span: str) -> Sequence[Slot | Minute]:
    return overview.course(conn, figures.sample(conn, now=NOON + timedelta(minutes=7)), SPANS[span])


@pytest.mark.parametrize("span", SPANS)
def test_each_bar_sums_what_ended_in_it(conn: Connection, span: str) -> None:
    width = SPANS[span].width
    last = course(conn, span)[-1].at
    for at, outcome in (
        (last, "completed"),
        (last - width, "completed"),
        (last - width, "failed"),
        (last, "dead_letter"),
    ):
        minute(conn, at, jobs=3, outcome=outcome)
    minute(conn, last - width * SPANS[span].slots, jobs=1000)
    seen = course(conn, span)
    assert [(slot.completed, slot.failed) for slot in seen[-3:]] == [(0, 0), (3, 3), (3, 3)]
    assert sum(slot.completed for slot in seen) == 6


def test_pulses_lead_with_the_silent_and_leave_out_the_long_gone(conn: Connection) -> None:
    factories.worker_instance(conn, "live", component="a")
    factories.worker_instance(conn, "silent", component="b", last_heartbeat_at=NOON - timedelta(minutes=2))
    factories.worker_instance(conn, "gone", component="c", last_heartbeat_at=NOON - timedelta(hours=2))
    pulses = overview.watched(conn, figures.sample(conn, now=NOON))
    assert [(worker.instance_id, len(marks)) for worker, marks in pulses] == [("silent", 28), ("live", 28)]


def test_no_worker_has_no_pulse(conn: Connection) -> None:
    assert overview.watched(conn, figures.sample(conn, now=NOON)) == []
