"""Pearson's r, held against its definition in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.insights.cells import Cell, Number, field
from worker.insights.correlations import MOST_FIELDS, correlation, correlation_facts
from worker.insights.summary import insights_of

NUMBERS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6, allow_subnormal=False)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=30)
FACTORS = st.sampled_from([1, 3, 10**20, 10**200, 1e-200, 0.1])


def exact(left: list[Number], right: list[Number]) -> float | None:
    """The definition, with a square root of the quotient of whole numbers at the end."""
    xs, ys = [Fraction(x) for x in left], [Fraction(y) for y in right]
    dx, dy = [x - sum(xs) / len(xs) for x in xs], [y - sum(ys) / len(ys) for y in ys]
    together, x_alone, y_alone = (
        sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((dx, dy), (dx, dx), (dy, dy))
    )
    if not x_alone or not y_alone:
        return None
    return math.copysign(math.sqrt(together**2 / (x_alone * y_alone)), together)


@given(PAIRS)
def test_r_is_what_its_definition_says(pairs: list[tuple[Number, Number]]) -> None:
    left, right = [x for x, _ in pairs], [y for _, y in pairs]
    defined = exact(left, right)
    found = correlation(left, right)
    assert (found is None) == (defined is None)
    assert found == pytest.approx(defined, abs=1e-9)


@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=2, max_size=20), FACTORS, FACTORS)
def test_r_does_not_depend_on_units_however_odd(pairs: list[tuple[int, int]], first: Number, second: Number) -> None:
    left, right = [x for x, _ in pairs], [y for _, y in pairs]
    plain = correlation(left, right)
    scaled = correlation([x * first for x in left], [y * second for y in right])
    assert scaled == pytest.approx(plain, abs=1e-9)


def test_what_is_beyond_a_floats_digits_still_counts() -> None:
    far = 10**20
    assert correlation([far + 1, far + 2, far + 3], [1, 2, 3]) == pytest.approx(1)
    assert correlation([-1.7e308, 1.7e308], [1, 2]) == pytest.approx(1)
    assert correlation([0.0, 5e-324], [2, 1]) == pytest.approx(-1)


@pytest.mark.parametrize("values", [[], [1], [2, 2, 2], [0.1, 0.1, 0.1]])
def test_without_two_different_values_there_is_no_r(values: list[Number]) -> None:
    assert correlation(values, list(range(len(values)))) is None


def test_pairs_are_over_the_rows_where_both_have_a_value_and_the_strongest_come_first() -> None:
    columns: dict[str, list[Cell]] = {
        "a": [1, 2, 3, 4, None],
        "b": [2, 4, 6, None, 8],
        "c": [1, 0, 1, 0, 2],
        "text": ["x"] * 5,
        "same": [7] * 5,
        "true": [True, False] * 2 + [None],
    }
    facts = correlation_facts([field(name, cells, spelled=False) for name, cells in columns.items()], between=bool)
    assert [(pair["fields"], pair["rows"]) for pair in facts["pairs"]] == [
        (["a", "b"], 3),
        (["b", "c"], 4),
        (["a", "c"], 4),
    ]
    assert facts["pairs"][0]["r"] == pytest.approx(1)
    assert facts["left_out"] == 0


def test_a_wide_dataset_is_looked_at_up_to_a_bound() -> None:
    fields = [field(f"n{place}", [place, 1, 2], spelled=False) for place in range(MOST_FIELDS + 6)]
    facts = correlation_facts(fields, between=bool)
    assert facts["left_out"] == 6
    assert len(facts["pairs"]) <= MOST_FIELDS * (MOST_FIELDS - 1) // 2


def test_it_can_be_stopped_before_each_pair() -> None:
    asked = iter([None, None, KeyError()])

    def between() -> None:
        if error := next(asked):
            raise error

    with pytest.raises(KeyError):
        correlation_facts([field(f"n{place}", [place, 1, 2], spelled=False) for place in range(4)], between=between)
    assert list(asked) == []


def test_the_insights_of_a_dataset_can_be_stopped_between_fields_and_between_pairs() -> None:
    asked: list[None] = []
    fields = [field(f"n{place}", [place, 1, 2], spelled=False) for place in range(3)]
    assert len(list(insights_of(fields, between=lambda: asked.append(None)))) == 4
    assert len(asked) == 3 + 3
