"""The facts of one field, held against a naive count."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from worker.insights.cells import Cell, field
from worker.insights.fields import LONGEST_SHOWN, TOP, field_facts
from worker.payloads import dumps

VALUES = (
    st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, 10**40, 1e300]) | st.sampled_from(["", "1", "a"])
)
CELLS = st.lists(st.none() | VALUES, max_size=40)


def alike(left: Cell, right: Cell) -> bool:
    """Whether two values are one: a number equals a number, nothing else a thing of another kind."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def different(values: Sequence[Cell]) -> list[Cell]:
    found: list[Cell] = []
    for value in values:
        if not any(alike(value, other) for other in found):
            found.append(value)
    return found


@given(CELLS)
def test_counts_are_those_of_a_naive_count(cells: list[Cell]) -> None:
    facts = field_facts(field("a", cells, spelled=False))
    values = [cell for cell in cells if cell is not None]
    once = different(values)
    assert (facts["count"], facts["missing"]) == (len(values), len(cells) - len(values))
    assert facts["distinct"] == len(once)
    counts = {id(value): sum(alike(value, other) for other in values) for value in once}
    assert [each["count"] for each in facts["top"]] == sorted(counts.values(), reverse=True)[:TOP]
    for each in facts["top"]:
        assert sum(alike(each["value"], other) for other in values) == each["count"]


@given(CELLS)
def test_facts_are_json_and_the_same_in_whatever_order_the_rows_come(cells: list[Cell]) -> None:
    facts = field_facts(field("a", cells, spelled=False))
    dumps(facts)
    assert field_facts(field("a", cells[::-1], spelled=False)) == facts


def test_true_is_not_one() -> None:
    facts = field_facts(field("a", [True, 1, 1.0, "1"], spelled=False))
    assert (facts["type"], facts["distinct"]) == ("mixed", 3)
    assert facts["top"][0] == {"value": 1, "count": 2}


def test_only_fields_of_numbers_have_quantiles() -> None:
    assert "quantiles" in field_facts(field("a", ["1", "2"], spelled=True))
    assert "quantiles" not in field_facts(field("a", ["1", "2"], spelled=False))
    assert field_facts(field("a", [None], spelled=True)) == {
        "type": "empty",
        "count": 0,
        "missing": 1,
        "distinct": 0,
        "top": [],
    }


def test_long_texts_are_cut_where_they_are_shown() -> None:
    (top,) = field_facts(field("a", ["x" * 1000], spelled=False))["top"]
    assert len(top["value"]) == LONGEST_SHOWN
