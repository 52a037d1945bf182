"""JSON lines: what is taken, and where what is not."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ingest import table
from app.ingest.json_lines import read_json_lines
from worker.errors import InvalidInput

TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
ROWS = st.lists(st.dictionaries(TEXTS.filter(bool), VALUES, max_size=5), max_size=6)


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_json_lines(text)
    return str(refused.value)


def kept(value: object) -> object:
    """A float with no fraction left is a whole number, as PostgreSQL has it."""
    return int(Decimal(repr(value))) if isinstance(value, float) and abs(value) >= 2**53 else value


@given(ROWS)
def test_what_is_written_is_read_back_without_what_is_missing(rows: list[dict[str, object]]) -> None:
    table = read_json_lines("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    assert table.columns == list(dict.fromkeys(name for row in rows for name in row))
    read = [json.loads(record) for record in table.records]
    assert read == [{name: kept(value) for name, value in row.items() if value is not None} for row in rows]


def test_a_line_need_not_have_every_column() -> None:
    table = read_json_lines('{"a": 1}\r\n\r\n{"b": null}\n{}\n')
    assert (table.columns, table.records) == (["a", "b"], ['{"a":1}', "{}", "{}"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n{"a": }\n', "line 2: is not JSON at character 7: Expecting value"),
        ('{"a": 1}\n[1]\n', "line 2: is not a JSON object"),
        ('{"a": 1, "a": 2}', "line 1, column a: is in the object twice"),
        ('{"": 1}', "line 1, column 1: has no name"),
        ('{"a": {"b": 1}}', "line 1, column a: is an object, not text, a number, true, false or null"),
        ('{"a": [1]}', "line 1, column a: is a list, not text, a number, true, false or null"),
        ('{"a": "x\\u0000"}', "line 1, column a: contains a NUL character"),
        ('{"a": "\\ud800"}', "line 1, column a: contains a lone surrogate"),
        ('{"\\ud800": 1}', "line 1, column 1: its name contains a lone surrogate"),
        ('{"\\ud800": 1, "\\ud800": 2}', "line 1, column ?: is in the object twice"),
        (f'{{"{"x" * 999}": 1, "{"x" * 999}": 2}}', f"line 1, column {'x' * 97}...: is in the object twice"),
        ("[" * 100_000, "line 1: has a number too long, or is nested too deep, to be read"),
        ('{"a": ' + "9" * 5000 + "}", "line 1: has a number too long, or is nested too deep, to be read"),
    ],
)
def test_a_refusal_names_line_and_column(text: str, said: str) -> None:
    assert refusal(text) == said


def test_numbers_that_are_longer_kept_than_written_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_STORED", 700)
    assert refusal('{"a": 1e300}\n' * 3) == "line 3: makes it more than 700 characters of JSON"


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400", "9" * 400])
def test_a_number_that_cannot_be_kept_is_refused(number: str) -> None:
    said = "line 2, column a: is no number that can be kept: NaN, infinite or beyond 1.8e308"
    assert refusal(f'{{"a": 1}}\n{{"a": {number}}}') == said
