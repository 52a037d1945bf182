"""The Overview's charts and pulses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.queries.pages import figures, overview
from worker.queries.pages.overview import SPANS, Course


def course(conn: Connection, span: str) -> Course:
    return overview.course(conn, figures.sample(conn, now=NOON + timedelta(minutes=7)), SPANS[span])


@pytest.mark.parametrize(("span", "first"), [("1h", "11:08"), ("24h", "12:20"), ("7d", "14:00")])
def test_a_chart_ends_with_the_bar_that_runs(conn: Connection, span: str, first: str) -> None:
    slots = course(conn, span).slots
    assert len(slots) == SPANS[span].slots
    assert f"{slots[0].at:%H:%M}" == first
    assert slots[-1].at <= NOON + timedelta(minutes=7) < slots[-1].at + SPANS[span].width


@pytest.mark.parametrize("span", SPANS)
def test_each_bar_sums_what_ended_in_it(conn: Connection, span: str) -> None:
    width = SPANS[span].width
    last = course(conn, span).slots[-1].at
    for at, outcome in (
        (last, "completed"),
        (last - width, "completed"),
        (last - width, "failed"),
        (last, "dead_letter"),
    ):
        minute(conn, at, jobs=3, outcome=outcome)
    minute(conn, last - width * SPANS[span].slots, jobs=1000)
    seen = course(conn, span)
    assert [(slot.completed, slot.failed) for slot in seen.slots[-3:]] == [(0, 0), (3, 3), (3, 3)]
    assert (seen.completed, seen.failed) == (6, 6)


def test_the_newest_release_of_the_span_is_marked(conn: Connection) -> None:
    for name, version, minutes_ago in (("a", "1", 9000), ("b", "2", 300), ("c", "3", 20)):
        factories.worker_instance(conn, name, version=version, started_at=NOON - timedelta(minutes=minutes_ago))
    assert course(conn, "1h").release == (32, "3")
    assert course(conn, "24h").release is not None


def test_where_only_one_version_is_known_nothing_is_marked(conn: Connection) -> None:
    factories.worker_instance(conn, started_at=NOON - timedelta(minutes=20))
    assert course(conn, "1h").release is None


def test_pulses_lead_with_the_silent_and_leave_out_the_long_gone(conn: Connection) -> None:
    factories.worker_instance(conn, "live", component="a")
    factories.worker_instance(conn, "silent", component="b", last_heartbeat_at=NOON - timedelta(minutes=2))
    factories.worker_instance(conn, "gone", component="c", last_heartbeat_at=NOON - timedelta(hours=2))
    pulses = overview.watched(conn, figures.sample(conn, now=NOON))
    assert [(worker.instance_id, len(marks)) for worker, marks in pulses] == [("silent", 28), ("live", 28)]


def test_no_worker_has_no_pulse(conn: Connection) -> None:
    assert overview.watched(conn, figures.sample(conn, now=NOON)) == []
