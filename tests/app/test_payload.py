"""A payload as text to read: indented, exact, its sealed parts closed (A-35, A-36, A-82)."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import payload
from app.payload import Payload


def of(text: str, *, size: int | None = None) -> Payload:
    row: Any = SimpleNamespace(payload=text, payload_bytes=len(text.encode()) if size is None else size)
    return payload.of(row)


def shown(text: str) -> str:
    return "".join(piece for piece, _ in of(text).pieces)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.text().filter(lambda name: name != "ciphertext")


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=30))
def test_what_is_shown_reads_the_same_as_what_is_stored(value: object) -> None:
    assert json.loads(shown(json.dumps(value))) == value


def test_it_is_indented() -> None:
    assert shown('{"a": [1, {"b": []}], "c": {}}') == (
        '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "c": {}\n}'
    )


@pytest.mark.parametrize("number", ["12345678901234567890123", "0.10", "1e400", "1.0000000000000000001"])
def test_a_number_is_shown_to_its_last_digit(number: str) -> None:
    assert shown(f'{{"n": {number}}}') == f'{{\n  "n": {number}\n}}'


def test_signs_within_text_are_text() -> None:
    assert shown('["{[,:]}", "a\\"b"]') == '[\n  "{[,:]}",\n  "a\\"b"\n]'


def test_a_sealed_part_shows_its_size_alone() -> None:
    found = of('{"mail": {"schema": "watchfloor.email.v1", "ciphertext": "gAAAA"}, "x": "ciphertext"}')
    assert found.sealed
    assert [piece for piece, sealed in found.pieces if sealed] == ["sealed, 5 bytes"]
    assert "gAAAA" not in "".join(piece for piece, _ in found.pieces)


def test_a_sealed_part_stays_closed_where_the_text_was_cut() -> None:
    found = of('{"ciphertext": "gAAAA', size=9000)
    assert "gAAAA" not in "".join(piece for piece, _ in found.pieces)
    assert (found.shown, found.size, found.problem) == (21, 9000, None)


def test_a_35_nesting_that_no_worker_can_read_is_shown_and_said() -> None:
    found = of("[" * 1200 + "]" * 1200)
    assert found.problem == "RecursionError"
    assert len("".join(piece for piece, _ in found.pieces)) < 100_000


def test_a_number_that_no_worker_can_read_is_said() -> None:
    assert of("[" + "9" * 5000 + "]").problem == "ValueError"
