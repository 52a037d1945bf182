"""Quantiles, means and histograms, held against their definitions in exact arithmetic."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.insights.cells import Number
from worker.insights.numbers import BINS, QUANTILES, histogram, number_facts, quantile

NUMBERS = st.integers(-(10**308), 10**308) | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(NUMBERS, min_size=1, max_size=40) | st.lists(st.integers(0, 5), min_size=1, max_size=40)


def rounded(exact: Fraction) -> Number:
    return exact.numerator if exact.denominator == 1 else float(exact)


@given(ROWS, st.sampled_from(sorted(QUANTILES)))
def test_a_quantile_lies_between_its_neighbours_where_its_share_says(values: list[Number], name: str) -> None:
    ordered = sorted(Fraction(value) for value in values)
    place = QUANTILES[name] * (len(ordered) - 1)
    below, above = ordered[place.__floor__()], ordered[place.__ceil__()]
    assert quantile(sorted(values), QUANTILES[name]) == rounded(below + (above - below) * (place - place.__floor__()))


@given(ROWS)
def test_quantiles_ascend_from_the_least_to_the_greatest(values: list[Number]) -> None:
    found = list(number_facts(values)["quantiles"].values())
    assert found == sorted(found)
    assert (found[0], found[-1]) == (min(values), max(values))


@given(ROWS)
def test_the_mean_is_rounded_once(values: list[Number]) -> None:
    exact = sum(map(Fraction, values), Fraction(0)) / len(values)
    assert number_facts(values)["mean"] == pytest.approx(rounded(exact), rel=1e-15, abs=sys.float_info.min)


@given(ROWS)
def test_a_bin_counts_what_lies_between_its_edges(values: list[Number]) -> None:
    found: dict[str, Any] = histogram(sorted(values))
    edges, counts = found["edges"], found["counts"]
    assert 1 <= len(counts) == len(edges) - 1 <= BINS
    assert (edges[0], edges[-1]) == (min(values), max(values))
    for place, count in enumerate(counts):
        last = place == len(counts) - 1
        inside = [v for v in values if edges[place] <= v and (v < edges[place + 1] or (last and v == edges[-1]))]
        assert len(inside) == count


@given(ROWS)
def test_bins_are_equally_wide_as_far_as_their_edges_can_be_told_apart(values: list[Number]) -> None:
    edges = histogram(sorted(values))["edges"]
    least, width = Fraction(min(values)), (Fraction(max(values)) - Fraction(min(values))) / BINS
    if len(edges) == BINS + 1:
        assert edges[1:-1] == [rounded(least + width * place) for place in range(1, BINS)]
    assert min(values) == max(values) or all(before < after for before, after in pairwise(edges))


def test_values_that_are_all_alike_have_one_bin() -> None:
    assert histogram([3, 3.0, 3]) == {"edges": [3, 3], "counts": [3]}
    assert number_facts([7]) == {
        "quantiles": dict.fromkeys(QUANTILES, 7),
        "mean": 7,
        "histogram": {"edges": [7, 7], "counts": [1]},
    }


def test_huge_integers_keep_every_digit() -> None:
    huge = 10**30
    assert quantile([huge + 1, huge + 3], Fraction(1, 2)) == huge + 2
    assert number_facts([huge + 1, huge + 3])["mean"] == huge + 2
