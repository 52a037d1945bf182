"""A stored payload as text to read: indented, its sealed parts closed, exact to the last digit (A-35, A-36, A-82)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from worker.database import Row

INDENTED_TO = 16
SEALED_KEY = '"ciphertext"'
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Payload:
    """What is shown of a payload: pieces of text, the sealed ones marked; `problem` is what a worker says of it."""

    pieces: list[tuple[str, bool]]
    size: int
    shown: int | None
    problem: str | None

    @property
    def sealed(self) -> bool:
        """Whether some of it may be read only by the worker that has the key."""
        return any(sealed for _, sealed in self.pieces)


def of(job: Row) -> Payload:
    """The payload of a job's row, which may have been cut."""
    cut = len(job.payload.encode()) < job.payload_bytes
    problem = None if cut else _problem(job.payload)
    shown = len(job.payload) if cut else None
    return Payload(list(_merged(_pieces(job.payload))), job.payload_bytes, shown, problem)


def _problem(text: str) -> str | None:
    """Why no worker can read it, as `worker.model.Job.payload` finds out."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return type(error).__name__
    return None


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The tokens with the space between them: no parser that nesting could exhaust, no number that rounds."""
    depth, before, key = 0, "", ""
    for found in _TOKEN.finditer(text):
        mark = found[0]
        if mark in "]}":
            depth -= 1
            yield ("" if before in "[{" else _line(depth)), False
        elif before and before in "[{,":
            yield _line(depth), False
        if before == ":" and key == SEALED_KEY and mark.startswith('"'):
            yield f"sealed, {len(mark) - 2:,} bytes", True
        else:
            yield {":": ": "}.get(mark, mark), False
        depth += mark in "[{"
        key = before if mark == ":" else key
        before = mark


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, INDENTED_TO)


def _merged(pieces: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Neighbours of one kind as one piece."""
    text = ""
    for piece, sealed in pieces:
        if sealed:
            yield from ((text, False), (piece, True))
            text = ""
        else:
            text += piece
    yield text, False
