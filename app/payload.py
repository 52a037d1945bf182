"""A stored payload as it is shown: as a tree or as text, exact, what is closed closed (A-35, A-36, A-82)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app import payload_parts, payload_tree
from app.payload_tree import Line
from worker.database import Row
from worker.redaction import OPEN, Redaction


@dataclass(frozen=True, slots=True)
class Payload:
    """What is shown of a payload: a tree, or pieces of text; `problem` is what a worker says of it."""

    tree: list[Line] | None
    pieces: list[tuple[str, bool]]
    size: int
    shown: int | None
    problem: str | None
    sealed: bool
    """Whether some of it may be read only by the worker that has the key."""
    redacted: int
    """How many of its values are closed to the eye."""


def of(job: Row, redaction: Redaction = OPEN) -> Payload:
    """The payload of a job's row, which may have been cut."""
    cut = len(job.payload.encode()) < job.payload_bytes
    parts = list(payload_parts.of(job.payload, redaction))
    tree = payload_tree.of(parts)
    closed = [part for part in parts if part.closed]
    return Payload(
        tree=tree,
        pieces=[] if tree else payload_parts.pieces(parts),
        size=job.payload_bytes,
        shown=len(job.payload) if cut else None,
        problem=None if cut else _problem(job.payload),
        sealed=any(part.text != "redacted" for part in closed),
        redacted=sum(part.text == "redacted" for part in closed),
    )


def _problem(text: str) -> str | None:
    """Why no worker can read it, as `worker.model.Job.payload` finds out."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return type(error).__name__
    return None
