"""The cells of one field as values of one kind: what a text spells is read as that where a format has only texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeGuard

Number: TypeAlias = int | float
Value: TypeAlias = str | Number | bool
Cell: TypeAlias = Value | None
"""None is missing: an empty cell of a CSV, null in JSON, or a field that a line does not have."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 400
_WORDS = {"true": True, "false": False}


class Kind(StrEnum):
    """What the values of a field are, all of them; `mixed` when they are not alike, `empty` when there are none."""

    EMPTY = "empty"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a dataset: a cell for each row."""

    name: str
    cells: Sequence[Cell]
    kind: Kind

    @property
    def is_numeric(self) -> bool:
        """Whether every value is a number; true and false are none."""
        return self.kind in (Kind.INTEGER, Kind.NUMBER)

    def values(self) -> list[Value]:
        """The cells that are not missing, in their order."""
        return [cell for cell in self.cells if cell is not None]


def field(name: str, cells: Sequence[Cell], *, spelled: bool) -> Field:
    """The field of that name; with `spelled` its texts are read as numbers, or as true and false, when all spell such.

    A number is spelled as in JSON, so 007 and +49 stay the texts that they are; blanks around it do not matter.
    """
    read = _read(cells) if spelled else cells
    return Field(name, read, kind_of(cell for cell in read if cell is not None))


def kind_of(values: Iterable[Value]) -> Kind:
    """The kind that all the values are of; numbers without a fraction are integers, however they are written."""
    kinds = {_kind(value) for value in values}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    if len(kinds) > 1:
        return Kind.MIXED
    return kinds.pop() if kinds else Kind.EMPTY


def is_number(value: Cell) -> TypeGuard[Number]:
    """Whether it is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(text: str) -> Number | None:
    """The number that a text spells; None when it spells none, or one beyond what a float can be."""
    trimmed = text.strip()
    found = _NUMBER.fullmatch(trimmed) if len(trimmed) <= _LONGEST_NUMBER else None
    if found is None or not math.isfinite(as_float := float(trimmed)):
        return None
    return as_float if found[1] or found[2] else int(trimmed)


def _read(cells: Sequence[Cell]) -> Sequence[Cell]:
    spelling: tuple[Callable[[str], Value | None], ...] = (number, _truth)
    return next((read for spell in spelling if (read := _read_as(cells, spell))), cells)


def _read_as(cells: Sequence[Cell], spell: Callable[[str], Value | None]) -> list[Cell] | None:
    """What the cells spell; None as soon as one does not."""
    read: list[Cell] = []
    for cell in cells:
        value = spell(cell) if isinstance(cell, str) else cell
        if value is None and cell is not None:
            return None
        read.append(value)
    return read


def _truth(text: str) -> bool | None:
    return _WORDS.get(text.strip().lower())


def _kind(value: Value) -> Kind:
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, str):
        return Kind.TEXT
    return Kind.INTEGER if isinstance(value, int) or value.is_integer() else Kind.NUMBER
