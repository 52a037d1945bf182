"""CSV as RFC 4180 has it: commas, double quotes, a header that names the columns, as many cells in each line.

Cells are kept as the texts that they are; an empty one is missing. What the texts of a column spell is read later.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from app.ingest.places import refused
from app.ingest.table import MAX_COLUMNS, Table
from worker.insights.cells import number

_NOT_FINITE = frozenset({"nan", "inf", "infinity"})
_MENTIONED = re.compile(r"\b(?:nan|inf|infinity)\b")
_WORDS = {
    "unexpected end of data": "a quote is opened here and never closed",
    "',' expected after '\"'": "a closing quote is followed by something other than a comma",
    f"field larger than field limit ({csv.field_size_limit()})": (
        f"a cell is longer than {csv.field_size_limit():,} characters"
    ),
}


def read_csv(text: str) -> Table:
    """The table; InvalidInput names line and column of what cannot be taken."""
    table = Table("csv")
    numbers = _Numbers() if _mentions_not_finite(text) else None
    for line, cells in _lines(text):
        if not table.columns:
            _add_columns(table, cells, line)
            continue
        if len(cells) != len(table.columns):
            raise refused(f"has {len(cells)} cells where the header has {len(table.columns)}", line=line)
        row = {name: cell or None for name, cell in zip(table.columns, cells, strict=True)}
        table.add_row(row, line=line)
        if numbers:
            numbers.look_at(row, line)
    if numbers:
        numbers.require_finite()
    return table


def _mentions_not_finite(text: str) -> bool:
    """Whether any cell can be such: most datasets need no second look at each."""
    small = text.lower()
    return ("nan" in small or "inf" in small) and _MENTIONED.search(small) is not None


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each line that is not blank, with the number of the line that it begins in: quoted cells may hold line ends."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in rows:
            if cells:
                yield line, cells
            line = rows.line_num + 1
    except csv.Error as error:
        raise refused(_WORDS.get(str(error), f"is not CSV: {error}"), line=line) from None


def _add_columns(table: Table, names: list[str], line: int) -> None:
    if len(names) > MAX_COLUMNS:
        raise refused(f"has {len(names)} columns; at most {MAX_COLUMNS} are taken", line=line)
    for place, name in enumerate(names, start=1):
        table.add_column(name.strip(), line=line, place=place)


class _Numbers:
    """Watches for NaN and the like: among numbers they would make a column one of texts; among texts they are one."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}
        self._with_number: set[str] = set()
        self._with_text: set[str] = set()

    def look_at(self, row: dict[str, str | None], line: int) -> None:
        """Remember what the cells spell, in columns where that still matters."""
        for name, cell in row.items():
            if cell is None or name in self._with_text:
                continue
            if number(cell) is not None:
                self._with_number.add(name)
            elif cell.strip().lstrip("+-").lower() in _NOT_FINITE:
                self._found.setdefault(name, (line, cell.strip()))
            else:
                self._with_text.add(name)

    def require_finite(self) -> None:
        """InvalidInput when a column of numbers has one that is not finite."""
        for name, (line, cell) in self._found.items():
            if name in self._with_number and name not in self._with_text:
                raise refused(f"{cell} is not a finite number; leave the cell empty", line=line, column=name)
