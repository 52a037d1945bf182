"""What happened to a job, from its history, its row and what operators did: one list, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from worker.database import Row
from worker.queries.pages.states import State

SHOWN = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; `kind` chooses the words, `of` is the row that tells them."""

    at: datetime
    kind: str
    of: Row


def of(job: Row, attempts: Sequence[Row], actions: Sequence[Row]) -> list[Entry]:
    """The newest entries, thirty at most."""
    return sorted(_entries(job, attempts, actions), key=lambda entry: entry.at, reverse=True)[:SHOWN]


def _entries(job: Row, attempts: Sequence[Row], actions: Sequence[Row]) -> Iterator[Entry]:
    if job.state in (State.RUNNING, State.CANCELLING) and job.locked_at:
        yield Entry(job.locked_at, "claimed", job)
    yield from (Entry(each.finished_at, "attempt", each) for each in attempts)
    yield from (Entry(each.at, "act", each) for each in actions)
    yield Entry(job.created_at, "enqueued", job)
