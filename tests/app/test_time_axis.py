"""An axis of elapsed time, and what is folded of it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.time_axis import Axis, Fold, folded


def places(axis: Axis, *seconds: float) -> list[float]:
    return [round(axis.at(each), 6) for each in seconds]


def test_without_folds_a_place_is_a_time() -> None:
    axis = Axis(60)
    assert (places(axis, 0, 12.5, 60), axis.span) == ([0, 12.5, 60], 60)


def test_a_fold_takes_a_sixth_of_what_is_drawn_to_scale() -> None:
    axis = Axis(1060, (Fold(30, 1030),))
    assert axis.span == pytest.approx(70)
    assert places(axis, 0, 30, 530, 1030, 1060) == [0, 30, 35, 40, 70]


def test_two_folds_are_each_as_wide() -> None:
    axis = Axis(2060, (Fold(30, 1030), Fold(1040, 2040)))
    assert places(axis, 1030, 1040, 2040, 2060) == [40, 50, 60, 80]


def test_what_is_five_times_the_longest_work_is_folded_and_no_less() -> None:
    busy = [(0.0, 2.0), (52.0, 62.0), (112.5, 114.0)]
    assert folded(busy, 114, longest=10).folds == (Fold(62, 112.5),)


def test_what_lies_before_the_first_work_and_after_the_last_is_folded_too() -> None:
    assert folded([(100, 101)], 200, longest=1).folds == (Fold(0, 100), Fold(101, 200))


def test_work_that_overlaps_leaves_no_gap() -> None:
    assert folded([(0, 100), (10, 20), (90, 95)], 100, longest=1).folds == ()


def test_the_scale_tells_times_from_places() -> None:
    assert Axis(1060, (Fold(30, 1030),)).scale() == [(0, 0), (30, 30), (40, 1030), (70, 1060)]


@pytest.mark.parametrize(
    ("length", "step", "number"),
    [(0.5, 0.1, 6), (8, 1, 9), (40, 5, 9), (60, 10, 7), (400, 60, 7), (3600, 600, 7), (86_400, 10_800, 9),
     (30 * 86_400, 4 * 86_400, 8)],
)  # fmt: skip
def test_ticks_are_even_and_few(length: float, step: float, number: int) -> None:
    ticks = Axis(length).ticks()
    assert [tick.seconds for tick in ticks] == pytest.approx([step * each for each in range(number)])
    assert [tick.at for tick in ticks] == [tick.seconds for tick in ticks]


def test_ticks_begin_anew_after_a_fold_and_say_since_when() -> None:
    ticks = Axis(1060, (Fold(30, 1030),)).ticks()
    assert [(tick.seconds, tick.since_fold) for tick in ticks] == [
        *((each, None) for each in (0, 10, 20, 30)),
        (1030, None),
        (1040, 10),
        (1050, 20),
        (1060, 30),
    ]


@pytest.mark.parametrize("folds", [((7, 39_990),), ((7, 1000), (1000.1, 2000), (2000.1, 39_990))])
def test_ticks_never_run_into_each_other(folds: tuple[tuple[float, float], ...]) -> None:
    axis = Axis(40_000, tuple(Fold(*fold) for fold in folds))
    at = [tick.at for tick in axis.ticks()]
    assert min(after - before for before, after in pairwise(at)) >= axis.span / 10
