"""CSV: what is taken, and where what is not."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ingest.csv_lines import read_csv
from app.ingest.table import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_TEXT
from worker.errors import InvalidInput

CELLS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)
NAMES = st.lists(st.text("abcdé 1", min_size=1, max_size=5).map(str.strip).filter(bool), min_size=1, unique=True)


def rows(text: str) -> list[dict[str, str]]:
    return [json.loads(record) for record in read_csv(text).records]


def refusal(text: str) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_csv(text)
    return str(refused.value)


@given(st.data())
def test_what_is_written_as_csv_is_read_back(data: st.DataObject) -> None:
    names = data.draw(NAMES)
    lines = data.draw(st.lists(st.lists(CELLS, min_size=len(names), max_size=len(names)), max_size=6))
    written = io.StringIO()
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    csv.writer(written, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([names, *lines])
    table = read_csv(written.getvalue())
    assert table.columns == names
    read = [json.loads(record) for record in table.records]
    assert read == [{name: cell for name, cell in zip(names, line, strict=True) if cell} for line in lines]


def test_cells_are_kept_as_texts_and_empty_ones_are_missing() -> None:
    assert rows("zip,n\n007,1\n,\n") == [{"zip": "007", "n": "1"}, {}]


def test_quoted_cells_may_hold_commas_quotes_and_line_ends() -> None:
    assert rows('a,b\n"1,""x""","2\n3"\n') == [{"a": '1,"x"', "b": "2\n3"}]


def test_any_line_end_will_do_and_blank_lines_are_none() -> None:
    assert rows("a\r\n1\r\n\r\n2") == rows("a\n\n1\n2\n") == rows("a\r1\r2\r")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n1,2,3\n", "line 3: has 3 cells where the header has 2"),
        ("a,b\n1\n", "line 2: has 1 cells where the header has 2"),
        ('a,b\n"1\n2",3\n4\n', "line 4: has 1 cells where the header has 2"),
        ("a,,c\n1,2,3\n", "line 1, column 2: has no name"),
        ("a,b, a\n1,2,3\n", "line 1, column 3: has the name of column 1: a"),
        ("a\n1\n\0\n", "line 3, column a: contains a NUL character"),
        ("a\0\n1\n", "line 1, column 1: its name contains a NUL character"),
        ('a,b\n1,2\n"1,2\n3,4\n', "line 3: a quote is opened here and never closed"),
        ('a,b\n1,"2"x\n', "line 2: a closing quote is followed by something other than a comma"),
        ("n,t\n1,NaN\n-Infinity,x\n", "line 3, column n: -Infinity is not a finite number; leave the cell empty"),
        ("x" * 101 + "\n1\n", "line 1, column 1: its name is longer than 100 characters"),
    ],
)
def test_a_refusal_names_line_and_column(text: str, said: str) -> None:
    assert refusal(text) == said


def test_among_texts_nan_is_a_text() -> None:
    assert rows("name\nNaN\ninf\nAda\n")[0] == {"name": "NaN"}


def test_there_is_a_bound_to_everything() -> None:
    wide = ",".join(f"c{place}" for place in range(MAX_COLUMNS + 1))
    assert refusal(f"{wide}\n") == f"line 1: has {MAX_COLUMNS + 1} columns; at most {MAX_COLUMNS} are taken"
    assert refusal("a\n" + "1\n" * (MAX_ROWS + 1)).endswith(f"has more than {MAX_ROWS:,} rows")
    columns = MAX_CELLS // MAX_ROWS + 1
    line = ",".join("1" * columns) + "\n"
    header = ",".join(f"c{place}" for place in range(columns)) + "\n"
    assert refusal(header + line * MAX_ROWS).endswith(f"has more than {MAX_CELLS:,} cells")
    assert refusal(f"a\n{'x' * (MAX_TEXT + 1)}\n") == f"line 2, column a: is longer than {MAX_TEXT:,} characters"
    assert refusal(f"a\n{'x' * 140_000}\n").startswith("line 2: a cell is longer than")
