"""Where charts put their bars, lines and marks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app import charts
from tests.factories import NOON
from worker.queries.pages.courses import Slot

STARTS = [NOON + timedelta(minutes=place) for place in range(10)]


def test_a_bar_stands_on_the_line_and_a_failed_one_hangs_under_it() -> None:
    drawn = charts.throughput([Slot(NOON, completed=5), Slot(NOON, completed=10, failed=2)])
    above, below = drawn.panes
    assert [shape.path for shape in above.shapes] == ["M0.12 100v-50.0h0.76V100ZM1.12 100v-100.0h0.76V100Z"]
    assert [shape.path for shape in below.shapes] == ["M1.12 0v100.0h0.76V0Z"]
    assert (above.hanging, below.hanging) == (False, True)


def test_where_nothing_failed_nothing_hangs() -> None:
    assert len(charts.throughput([Slot(NOON, completed=5)]).panes) == 1


def test_what_is_not_nothing_is_seen() -> None:
    assert "v-1.5h" in charts.bars([1, 10_000], 10_000)


def test_a_line_has_a_gap_where_nothing_is_known() -> None:
    assert charts.line([1, 2, None, 4], 4) == "M0 75.0H1V50.0H2M3 0.0H4"
    assert charts.area([1, 2, None, 4], 4) == "M0 100L0 75.0H1V50.0H2V100ZM3 100L3 0.0H4V100Z"


def test_nothing_known_is_a_blank_chart() -> None:
    assert charts.times([None, None], [None, None], "running").blank
    assert charts.throughput([Slot(NOON)]).blank
    assert not charts.depth([0, 0], "queued").blank


@pytest.mark.parametrize(("most", "top"), [(0, 2), (2, 2), (3, 4), (7, 10), (11, 20), (61, 100), (123_456, 200_000)])
def test_an_axis_of_counts_ends_at_an_even_number(most: int, top: int) -> None:
    assert charts.count_top([1, most, None]) == top


@pytest.mark.parametrize(
    ("most", "top"), [(0, 0.01), (0.3, 0.4), (25, 30), (300, 360), (5000, 7200), (100_000, 172_800)]
)
def test_an_axis_of_times_ends_at_a_round_one(most: float, top: float) -> None:
    assert charts.seconds_top([most]) == top


def test_a_release_is_marked_where_it_began_and_older_ones_are_left_out() -> None:
    began = [(NOON - timedelta(seconds=1), "v1"), (NOON, "v2"), (NOON + timedelta(minutes=5, seconds=30), "v3")]
    found = charts.marked(STARTS, began)
    assert [(each.slot, each.place, each.name) for each in found] == [(5, 0.55, "v3"), (0, 0.0, "v2")]


def test_of_releases_close_together_the_newest_is_named() -> None:
    found = charts.marked(STARTS, [(NOON + timedelta(minutes=place), f"v{place}") for place in (1, 4, 5)])
    assert [(each.name, each.named) for each in found] == [("v5", True), ("v4", False), ("v1", True)]
