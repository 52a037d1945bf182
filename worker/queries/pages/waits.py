"""Why jobs wait: for each kind of them on a queue, what keeps it from running now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from worker.database import Row
from worker.queries.pages.backlog import Backlog
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.flow import Flow
from worker.queries.pages.loads import AT_EASE


class Cause(StrEnum):
    """What a job waits for, the worst first."""

    UNSERVED = "unserved"
    ELSEWHERE = "elsewhere"
    DRAINING = "draining"
    PAUSED = "paused"
    IDLE = "idle"
    BUSY = "busy"
    BEHIND = "behind"
    TURN = "turn"
    SCHEDULE = "schedule"


_ORDER = list(Cause)


@dataclass(frozen=True, slots=True)
class Wait:
    """Some jobs of one kind that wait for one thing; `arrived` and `finished` say how many do in a minute.

    `workers` are those that take such jobs; where none does, the live ones that could. `since` is when the oldest came
    due; of those that are scheduled, when the next will.
    """

    cause: Cause
    of: Backlog
    jobs: int
    since: datetime | None
    workers: tuple[Worker, ...] = ()
    pause: Row | None = None
    arrived: float = 0
    finished: float = 0

    @property
    def slots(self) -> int:
        """How many jobs those workers can run at once."""
        return sum(each.concurrency for each in self.workers)

    @property
    def free(self) -> int:
        """How many of them run nothing now."""
        return sum(max(each.concurrency - each.busy, 0) for each in self.workers)

    @property
    def rank(self) -> tuple[int, int]:
        """The order of a list: what never ends by itself first, then what has most."""
        return _ORDER.index(self.cause), -self.jobs


def read(figures: Figures, rows: Iterable[Backlog]) -> list[Wait]:
    """Why each of the rows waits, the worst first."""
    return sorted((wait for row in rows for wait in _of(figures, row)), key=lambda wait: wait.rank)


def _of(figures: Figures, row: Backlog) -> Iterator[Wait]:
    if row.ready:
        flow = next((each for each in figures.hour.flows if _same(each, row)), Flow(row.queue, row.handler_key))
        cause, workers = _cause(figures, row, flow)
        pause = figures.paused.get(row.queue)
        yield Wait(cause, row, row.ready, row.ready_since, workers, pause, flow.arrived, flow.finished)
    if row.scheduled:
        yield Wait(Cause.SCHEDULE, row, row.scheduled, row.next_due)


def _same(flow: Flow, row: Backlog) -> bool:
    return (flow.queue, flow.handler_key) == (row.queue, row.handler_key)


def _cause(figures: Figures, row: Backlog, flow: Flow) -> tuple[Cause, tuple[Worker, ...]]:
    takers = tuple(figures.takers(row.job_type, row.queue))
    if row.queue in figures.paused:
        return Cause.PAUSED, takers
    if not takers:
        return _unserved(figures, row)
    if row.ready_since and figures.at - row.ready_since <= AT_EASE:
        return Cause.TURN, takers
    if all(each.busy >= each.concurrency for each in takers):
        return Cause.BUSY, takers
    return Cause.BEHIND if flow.finished else Cause.IDLE, takers


def _unserved(figures: Figures, row: Backlog) -> tuple[Cause, tuple[Worker, ...]]:
    able = [each for each in figures.live if row.job_type in each.job_types]
    leaving = tuple(each for each in able if each.state is State.DRAINING and each.can_run(row.job_type, row.queue))
    if leaving:
        return Cause.DRAINING, leaving
    return (Cause.ELSEWHERE, tuple(able)) if able else (Cause.UNSERVED, ())
