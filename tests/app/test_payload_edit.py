"""A payload that an operator edits: exact, and what is closed goes in again unseen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import payload_edit, payload_parts
from worker.errors import InvalidInput
from worker.redaction import redaction

CLOSED = redaction("x", ["email", "items.*.card"])
STORED: dict[str, Any] = {
    "email": "ada@x.org",
    "items": [{"card": {"n": 1}, "sku": "a"}, {"card": {"n": 2}, "sku": "b"}],
    "mail": {"ciphertext": "gAAAA"},
    "id": 12345678901234567890123,
}


def text() -> str:
    return payload_edit.text_of(payload_parts.of(json.dumps(STORED), CLOSED))


def test_what_is_left_as_it_stands_is_what_it_was_and_shows_nothing_closed() -> None:
    assert not any(secret in text() for secret in ("ada@", '"n"', "gAAAA"))
    assert payload_edit.restored(payload_edit.parsed(text()), STORED, CLOSED) == STORED


def test_what_is_changed_is_changed_beside_what_is_closed() -> None:
    edited = payload_edit.parsed(text().replace('"a"', '"z"').replace('"email": "[redacted]"', '"email": "new@x.org"'))
    found = payload_edit.restored(edited, STORED, CLOSED)
    assert found["items"][0] == {"card": {"n": 1}, "sku": "z"}
    assert found["email"] == "new@x.org"


def test_a_mark_where_nothing_is_closed_is_a_text_like_any_other() -> None:
    assert payload_edit.restored({"note": "[redacted]"}, STORED, CLOSED) == {"note": "[redacted]"}


@pytest.mark.parametrize("edited", [{"items": [{"card": "[redacted]"}]}, {"items": {"0": {"card": "[redacted]"}}}])
def test_a_mark_that_nothing_can_be_put_back_for_is_refused(edited: object) -> None:
    with pytest.raises(InvalidInput, match=r"payload: has \[redacted\] at items.0.card"):
        payload_edit.restored(edited, STORED, CLOSED)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not JSON: .* in line 1"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ("[1.0000000000000000001]", "which would be kept as 1.0"),
        ("[1e400]", "which would be kept as inf"),
        ("[NaN]", "has NaN"),
        ("[" * 9000, "no worker can read|is not JSON"),
        ("[" + "9" * 5000 + "]", "no worker can read"),
    ],
)
def test_what_a_handler_would_read_otherwise_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        payload_edit.parsed(text)


def test_numbers_are_taken_to_the_last_digit() -> None:
    assert payload_edit.parsed("[12345678901234567890123, 0.10, 1e3]") == [12345678901234567890123, 0.1, 1000.0]
