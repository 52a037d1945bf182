"""A JSON text in parts, read by no parser that nesting could exhaust, and with nothing in them that is closed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from worker.redaction import Redaction

INDENTED_TO = 16
SEALED_KEY = '"ciphertext"'
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Part:
    """A value, or where a container begins or ends; `text` is as it is stored, unless the part is closed."""

    kind: Literal["value", "open", "close"]
    key: str | None
    text: str
    closed: bool = False


def of(text: str, redaction: Redaction) -> Iterator[Part]:
    """The parts in order; a text that was cut, or is none of JSON, ends where it ends."""
    walk = _Walk(redaction)
    for found in _TOKEN.finditer(text):
        if part := walk.take(found[0]):
            yield part


@dataclass(slots=True)
class _Walk:
    redaction: Redaction
    path: list[str] = field(default_factory=list)
    """The names on the way to the value that comes next."""
    lists: list[bool] = field(default_factory=list)
    """Of each container around, whether it is a list."""
    key: str | None = None
    names_next: bool = False
    skipping: int = 0
    """How many containers are open that are closed to the eye."""

    def take(self, mark: str) -> Part | None:
        """The part that ends with this token, if one does."""
        if self.skipping:
            self.skipping += (mark in "{[") - (mark in "}]")
            return None
        if mark in "}]":
            return self._leave(mark)
        if mark not in ",:" and not self.names_next:
            return self._value(mark)
        if mark == ",":
            self._next()
        elif mark == ":":
            self.names_next = False
        else:
            self.key, self.path[-1] = mark, _name(mark)
        return None

    def _value(self, mark: str) -> Part:
        key = self.key
        if self.redaction.covers(self.path):
            self.skipping = int(mark in "{[")
            return Part("value", key, "redacted", closed=True)
        if mark in "{[":
            self.path.append("0" if mark == "[" else "")
            self.lists.append(mark == "[")
            self.key, self.names_next = None, mark == "{"
            return Part("open", key, mark)
        if key == SEALED_KEY and mark.startswith('"'):
            return Part("value", key, f"sealed, {len(mark) - 2:,} bytes", closed=True)
        return Part("value", key, mark)

    def _next(self) -> None:
        if self.lists:
            self.names_next, self.key = not self.lists[-1], None
            self.path[-1] = str(int(self.path[-1]) + 1) if self.lists[-1] else ""

    def _leave(self, mark: str) -> Part:
        if self.lists:
            self.lists.pop()
            self.path.pop()
        self.key, self.names_next = None, False
        return Part("close", None, mark)


def _name(mark: str) -> str:
    try:
        return str(json.loads(mark))
    except ValueError:
        return mark.strip('"')


def pieces(parts: Iterable[Part]) -> list[tuple[str, bool]]:
    """Indented text, in pieces of which some are closed."""
    found: list[tuple[str, bool]] = []
    depth, last = 0, None
    for part in parts:
        depth -= part.kind == "close"
        line = "\n" + "  " * min(depth, INDENTED_TO) if last and (last, part.kind) != ("open", "close") else ""
        comma = "," if last in ("value", "close") and part.kind != "close" else ""
        found += [(comma + line + (f"{part.key}: " if part.key else ""), False), (part.text, part.closed)]
        depth += part.kind == "open"
        last = part.kind
    return list(_merged(found))


def _merged(pieces: Iterable[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Neighbours of one kind as one piece."""
    text = ""
    for piece, closed in pieces:
        if closed:
            yield from ((text, False), (piece, True))
            text = ""
        else:
            text += piece
    yield text, False
