"""What commands print: aligned, and nothing stored can bend the terminal."""

import json
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from app.commands.output import counted, document, facts, table
from app.text import age, cell, duration, escaped

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcödé", "plain ünïcödé"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("two\nlines\r\tand a tab", "two\\nlines\\r\\tand a tab"),
        ("C1 \x9b2J and DEL \x7f", "C1 \\x9b2J and DEL \\x7f"),
        ("evil \u202egpj.exe", "evil \\u202egpj.exe"),
        ("line\u2028separator", "line\\u2028separator"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
    ],
)
def test_control_characters_are_spelt_out(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        ("", "-"),
        (0, "0"),
        (datetime(2026, 11, 29, 14, 0, tzinfo=timezone(timedelta(hours=2))), "2026-11-29 12:00:00Z"),
        (("b", "a"), "b, a"),
        (frozenset({"b", "a"}), "a, b"),
        (["\x1b"], "\\x1b"),
    ],
)
def test_a_cell_is_one_harmless_line(value: object, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0s"), (0.4, "0s"), (59, "59s"), (372, "6m 12s"), (3600, "1h"), (93_784, "1d 2h"), (-5, "5s")],
)
def test_a_span_has_two_units_at_most(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_an_age_is_known_only_of_what_happened() -> None:
    assert age(NOON - timedelta(minutes=3), NOON) == "3m"
    assert age(None, NOON) is None


def test_columns_are_aligned_with_numbers_to_the_right() -> None:
    assert table(("NAME", "READY", "NOTE"), [("mail", 7, "x"), ("exports", 1200, None)]).splitlines()[1:] == [
        "mail         7  x",
        "exports   1200  -",
    ]


def test_a_table_without_rows_is_its_headings() -> None:
    assert "NAME" in table(("NAME", "READY"), [])


def test_an_escape_sequence_in_a_row_does_not_reach_the_terminal() -> None:
    assert "\x1b]0;" not in table(("NAME",), [("\x1b]0;title\x07",)])


def test_facts_leave_out_what_is_not_known() -> None:
    assert facts({"job": "a", "note": None, "state": "waiting"}) == "job    a\nstate  waiting"


def test_json_is_ascii_and_knows_our_values() -> None:
    text = document({"at": NOON, "id": UUID(int=1), "who": "é\x9b", "wait": timedelta(seconds=3), "names": {"b", "a"}})
    assert text.isascii()
    assert "\x9b" not in text
    assert json.loads(text) == {
        "at": "2026-11-29T12:00:00+00:00",
        "id": str(UUID(int=1)),
        "who": "é\x9b",
        "wait": 3.0,
        "names": ["a", "b"],
    }


def test_things_are_counted_in_words() -> None:
    assert [counted(number, "job") for number in (0, 1, 2, 1200)] == ["0 jobs", "1 job", "2 jobs", "1,200 jobs"]
