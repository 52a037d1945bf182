"""What cells spell, and which kind a field is of."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.insights.cells import Cell, Kind, field, number


def kind(*cells: Cell, spelled: bool = False) -> Kind:
    return field("a", cells, spelled=spelled).kind


def test_the_kind_is_what_all_values_are() -> None:
    assert kind() == kind(None, None) == Kind.EMPTY
    assert kind(True, None, False) == Kind.BOOLEAN
    assert kind(1, 2.0, 10**40) == Kind.INTEGER
    assert kind(1, 2.5) == Kind.NUMBER
    assert kind("1", "b") == Kind.TEXT
    assert kind(1, True) == kind("a", 1) == kind(True, "true") == Kind.MIXED


def test_texts_are_read_as_what_all_of_them_spell() -> None:
    assert field("a", ["1", None, " 2.5 ", "-3e2"], spelled=True).cells == [1, None, 2.5, -300.0]
    assert field("a", ["true", "FALSE", None], spelled=True).cells == [True, False, None]
    assert field("a", ["1", "true"], spelled=True).cells == ["1", "true"]
    assert field("a", [None, None], spelled=True).kind == Kind.EMPTY


def test_texts_of_json_stay_texts() -> None:
    assert field("a", ["1", "2"], spelled=False).cells == ["1", "2"]


@pytest.mark.parametrize("text", ["007", "+49", "1,5", "1_000", "٣", "0x10", ".5", "5.", "", "nan", "1e400", "9" * 500])
def test_what_json_would_not_take_for_a_number_is_none(text: str) -> None:
    assert number(text) is None


@given(st.integers(-(10**300), 10**300) | st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_json_writes_is_read_as_itself(value: float) -> None:
    read = number(json.dumps(value))
    assert read == value
    assert type(read) is type(value)


@given(st.text(max_size=20))
def test_a_text_is_read_as_a_number_only_if_json_reads_it_so(text: str) -> None:
    if (read := number(text)) is not None:
        assert json.loads(text.strip()) == read
        assert math.isfinite(read)
