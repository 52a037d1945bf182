"""Cursors: what a list gave out comes back as it was, anything else is refused."""

from __future__ import annotations

from datetime import timedelta, timezone
from uuid import UUID

import pytest

from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import new_id
from worker.queries.pages import cursors
from worker.queries.pages.cursors import decode, encode, instant, name, number

ODD = [
    "",
    "x",
    "%00",
    "ü",
    "bnVsbA",
    "e30",
    encode(),
    encode("only one"),
    encode("one", "two", "three"),
    encode(1, 2),
    encode("2026-11-29T12:00:00", "no zone"),
    encode("9999-12-31T23:59:59-23:00", "beyond the calendar"),
    encode(NOON, "nul\0"),
    "W" * 600,
    "WyIiLCIiXQ==AA",
    "[" * 300,
]


def test_a_key_comes_back_as_it_was() -> None:
    key = (NOON + timedelta(microseconds=1), "a/ü?&", -7, new_id())
    assert decode(encode(*key), instant, name, number, UUID) == key


def test_times_come_back_in_utc() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert decode(encode(there), instant)[0].isoformat() == NOON.isoformat()


def test_a_cursor_is_safe_in_an_address() -> None:
    assert set(encode("~~~???>>>", 2**62)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_anything_else_is_refused_by_name(odd: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(odd, instant, name)
    assert refused.value.field == "cursor"


@pytest.mark.parametrize("value", [2**63, -(2**63), 1.5, True, None, "7"])
def test_numbers_are_whole_and_of_a_size_that_rows_have(value: object) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        cursors.number(value)
