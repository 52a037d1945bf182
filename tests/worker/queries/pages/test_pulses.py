"""Pulses: what came, what came late, what did not come."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.factories import NOON
from worker.queries.pages.pulses import pulse


def beats(*seconds_ago: float) -> list[float]:
    return [(NOON - timedelta(seconds=ago)).timestamp() for ago in seconds_ago]


@pytest.mark.parametrize(
    ("seen", "drawn"),
    [
        ([], ""),
        ([3], "|"),
        ([43, 33, 23, 13, 3], "|||||"),
        ([44, 31, 23, 12, 3], "|||||"),
        ([40, 26, 16, 6], "|:||"),
        ([50, 40, 10, 0], "||..:|"),
        ([41, 31], "||.."),
        ([2, 0], "||"),
    ],
    ids=str,
)
def test_a_pulse_has_one_mark_per_expected_beat(seen: list[float], drawn: str) -> None:
    assert pulse(beats(*seen), 10, until=NOON, length=8).strip() == drawn


def test_a_long_silence_fills_the_strip_and_no_more() -> None:
    assert pulse(beats(400_000), 10, until=NOON, length=12) == "." * 12


def test_a_short_life_is_blank_before_it_began() -> None:
    assert pulse(beats(13, 3), 10, until=NOON, length=6) == "    ||"
