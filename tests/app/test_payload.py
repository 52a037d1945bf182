"""A payload as text to read: indented, exact, its sealed parts closed (A-35, A-36, A-82)."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import payload, payload_parts, payload_tree
from app.payload import Payload
from worker.redaction import OPEN, Redaction, redaction


def of(text: str, *, size: int | None = None, closed: Redaction = OPEN) -> Payload:
    row: Any = SimpleNamespace(payload=text, payload_bytes=len(text.encode()) if size is None else size)
    return payload.of(row, closed)


def pieces(text: str, closed: Redaction = OPEN) -> list[tuple[str, bool]]:
    return payload_parts.pieces(payload_parts.of(text, closed))


def shown(text: str, closed: Redaction = OPEN) -> str:
    return "".join(piece for piece, _ in pieces(text, closed))


def tree(text: str) -> list[str]:
    """A line a row, as deep as it lies; a container with how many items it has."""
    lines, depth = [], 0
    for line in of(text).tree or []:
        depth -= line.part.kind == "close"
        count = f" {line.items}{'' if line.is_open else ' folded'}" if line.part.kind == "open" else ""
        lines.append(". " * depth + f"{line.part.key or ''} {line.part.text}".strip() + count)
        depth += line.part.kind == "open"
    return lines


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
    text = '{"mail": {"schema": "watchfloor.email.v1", "ciphertext": "gAAAA"}, "x": "ciphertext"}'
    assert of(text).sealed
    assert [piece for piece, closed in pieces(text) if closed] == ["sealed, 5 bytes"]
    assert "gAAAA" not in str(of(text))


def test_a_sealed_part_stays_closed_where_the_text_was_cut() -> None:
    found = of('{"ciphertext": "gAAAA', size=9000)
    assert "gAAAA" not in str(found)
    assert (found.shown, found.size, found.problem) == (21, 9000, None)


CLOSED = redaction("x", ["customer.email", "items.*.card", "note"])


def test_what_is_closed_to_the_eye_is_nowhere_in_what_is_shown() -> None:
    text = (
        '{"customer": {"email": "ada@x.org", "id": 7}, "items": [{"card": {"no": [4111]}, "sku": "a"}, {"card": 0}],'
        ' "n\\u006fte": "psst", "last": true}'
    )
    found = of(text, closed=CLOSED)
    assert found.redacted == 4
    assert not any(secret in str(found) for secret in ("ada@", "4111", "psst"))
    assert json.loads(shown(text, CLOSED).replace("redacted", "0"))["last"] is True
    assert of(text).redacted == 0


@pytest.mark.parametrize(
    "text", ['{"customer": {"email": "ada@', '{"note": {"a": ["ada@', '{"items": [{"card": {"n": "ada@']
)
def test_what_is_closed_stays_so_where_the_text_was_cut(text: str) -> None:
    assert "ada@" not in str(of(text, size=9000, closed=CLOSED))


def test_a_tree_has_short_things_on_a_line_and_folds_the_rest() -> None:
    text = json.dumps(
        {"id": 7, "tags": ["a", "b"], "who": {"name": "x" * 70, "age": 3}, "rows": [[{"k": "v" * 70}]] * 20}
    )
    lines = tree(text)
    assert lines[:7] == [
        "{ 4",
        '. "id" 7',
        '. "tags" ["a", "b"]',
        '. "who" { 2',
        f'. . "name" "{"x" * 70}"',
        '. . "age" 3',
        ". }",
    ]
    assert lines[7] == '. "rows" [ 20 folded'
    assert lines[-2:] == [". ]", "}"]


def test_a_payload_of_many_lines_is_text() -> None:
    assert of(json.dumps(list(range(5000)))).tree is None
    assert of("7").tree is None


def test_a_35_nesting_that_no_worker_can_read_is_shown_and_said() -> None:
    found = of("[" * 1200 + "]" * 1200)
    assert found.problem == "RecursionError"
    assert found.tree
    assert len(found.tree) < 40
    assert of("[" * 16_000, size=99_000).tree is None


def test_a_number_that_no_worker_can_read_is_said() -> None:
    assert of("[" + "9" * 5000 + "]").problem == "ValueError"


@given(st.text(alphabet='{}[],:" \\a1', max_size=40))
def test_any_text_is_shown_as_far_as_it_goes(text: str) -> None:
    of(text, size=9000)
    assert payload_tree.of(payload_parts.of(text, CLOSED)) is None or shown(text)
