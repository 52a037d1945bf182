"""A dataset being taken in: each row is looked at, bounded, and kept as the JSON text that is stored."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from app.ingest.places import refused
from worker.insights.cells import Cell
from worker.payloads import dumps

MAX_BYTES = 8 * 1024 * 1024
MAX_ROWS = 100_000
MAX_COLUMNS = 200
MAX_CELLS = 1_000_000
MAX_NAME = 100
MAX_TEXT = 100_000
MAX_STORED = 64 * 1024 * 1024

_PLAIN = {str, int, bool}
_SHORTER_THAN_ANY_INFINITE_NUMBER = 300
_ALL_WHOLE = 2**53


class Table:
    """Rows of named cells, in the order they come; memory is bounded by the limits above."""

    def __init__(self, source_format: str) -> None:
        self.source_format = source_format
        self.columns: list[str] = []
        self.records: list[str] = []
        self._hash = hashlib.sha256()
        self._stored = 0

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.records)

    @property
    def content_hash(self) -> str:
        """The same for the same columns and rows, however they were encoded."""
        whole = self._hash.copy()
        whole.update(dumps([self.source_format, self.columns]).encode())
        return whole.hexdigest()

    def add_column(self, name: str, *, line: int, place: int) -> None:
        """Have a column of that name, the last one."""
        if not name:
            raise refused("has no name", line=line, column=place)
        if len(name) > MAX_NAME:
            raise refused(f"its name is longer than {MAX_NAME} characters", line=line, column=place)
        if problem := _text_problem(name):
            raise refused(f"its name {problem}", line=line, column=place)
        if name in self.columns:
            raise refused(f"has the name of column {self.columns.index(name) + 1}: {name}", line=line, column=place)
        if len(self.columns) == MAX_COLUMNS:
            raise refused(f"has more than {MAX_COLUMNS} columns", line=line)
        self.columns.append(name)

    def add_row(self, cells: Mapping[str, Cell], *, line: int) -> None:
        """Keep one row; what is missing is left out of it."""
        if self.row_count == MAX_ROWS:
            raise refused(f"has more than {MAX_ROWS:,} rows", line=line)
        if (self.row_count + 1) * len(self.columns) > MAX_CELLS:
            raise refused(f"has more than {MAX_CELLS:,} cells", line=line)
        record = {name: cell for name, cell in cells.items() if cell is not None}
        text = _text_of_plain(record)
        if text is None:
            _require_storable(record, line)
            text = dumps({name: _kept(cell) for name, cell in record.items()})
        self._stored += len(text)
        if self._stored > MAX_STORED:
            raise refused(f"makes it more than {MAX_STORED:,} characters of JSON", line=line)
        self._hash.update(text.encode())
        self._hash.update(b"\n")
        self.records.append(text)


def _text_of_plain(record: Mapping[str, Cell]) -> str | None:
    """The JSON text of a row that has nothing odd in it, which one look tells; None of another, or of a long one."""
    kinds = set(map(type, record.values()))
    text = dumps(record) if kinds <= _PLAIN else ""
    longest = MAX_TEXT if kinds == {str} else _SHORTER_THAN_ANY_INFINITE_NUMBER
    return text if len(text) <= longest and text.isascii() and "\\u0000" not in text and text else None


def _require_storable(record: Mapping[str, Cell], line: int) -> None:
    for name, cell in record.items():
        if problem := _problem(cell):
            raise refused(problem, line=line, column=name)


def _kept(cell: Cell) -> Cell:
    """A float too large to have a fraction as the whole number that it is written as: PostgreSQL keeps it so."""
    return int(Decimal(repr(cell))) if isinstance(cell, float) and abs(cell) >= _ALL_WHOLE else cell


def _problem(cell: Any) -> str | None:
    if isinstance(cell, str):
        return _text_problem(cell) or (f"is longer than {MAX_TEXT:,} characters" if len(cell) > MAX_TEXT else None)
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return None if _is_finite(cell) else "is no number that can be kept: NaN, infinite or beyond 1.8e308"
    return f"is {'a list' if isinstance(cell, list) else 'an object'}, not text, a number, true, false or null"


def _text_problem(text: str) -> str | None:
    if "\0" in text:
        return "contains a NUL character"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "contains a lone surrogate"
    return None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False
