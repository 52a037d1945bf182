"""A job's attempts as bars on one axis: waiting, starting, running, and what is still to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from worker.database import Row
from worker.model import AttemptOutcome
from worker.queries.pages.states import State

SHOWN = 12
"""The last attempts that are drawn; a table has the others."""

_LOOKS = {
    AttemptOutcome.COMPLETED: "done",
    AttemptOutcome.LEASE_EXPIRED: "lost",
    AttemptOutcome.SUPERSEDED: "superseded",
    AttemptOutcome.RELEASED: "cancelled",
    AttemptOutcome.CANCELLED: "cancelled",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the timeline; `attempt` is None while it has not ended, `took` None while it has not run."""

    number: int
    attempt: Row | None
    worker: str | None
    segments: list[dict[str, Any]]
    took: float | None = None
    running: bool = False
    marks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The bars, and the axis they share, in seconds from its start."""

    since: datetime
    span: float
    bars: list[Bar]
    left_out: int

    @property
    def ticks(self) -> list[float]:
        """Four steps from the start of the axis to its end."""
        return [self.span * step / 4 for step in range(5)]


def of(job: Row, attempts: Sequence[Row], actions: Sequence[Row]) -> Timeline:
    """The timeline of a job from its attempts, the newest first, and what operators did."""
    drawn = list(reversed(attempts[:SHOWN]))
    left_out = len(attempts) - len(drawn)
    since = attempts[SHOWN].finished_at if left_out else min([job.created_at, *(each.claimed_at for each in drawn)])
    axis = _Axis(since)
    bars = list(_ended(drawn, axis))
    bars += _open(job, axis)
    for bar, begins, ends in zip(bars, [since, *axis.ends], axis.ends, strict=False):
        bar.marks.extend(_replays(actions, begins, ends, since))
    return Timeline(since, max(axis.length, 0.001), bars, left_out)


class _Axis:
    """Where the last bar ended, and how far the axis reaches."""

    def __init__(self, since: datetime) -> None:
        self.since = since
        self.ends: list[datetime] = []
        self.length = 0.0

    @property
    def last(self) -> datetime:
        return self.ends[-1] if self.ends else self.since

    def at(self, when: datetime) -> float:
        """Seconds from the start; the axis grows to hold it."""
        seconds = max((when - self.since).total_seconds(), 0)
        self.length = max(self.length, seconds)
        return seconds

    def segment(self, kind: str, start: datetime, end: datetime, *, title: str, state: str = "") -> dict[str, Any]:
        """A part of a bar, as `ui.timeline` draws it."""
        return {"kind": kind, "start": self.at(start), "end": self.at(max(start, end)), "state": state, "title": title}


def _ended(attempts: Sequence[Row], axis: _Axis) -> Iterator[Bar]:
    for each in attempts:
        started = each.started_at or each.claimed_at
        segments = [axis.segment("wait", axis.last, each.claimed_at, title="waiting")]
        if (started - each.claimed_at).total_seconds() > 0.05:
            segments.append(axis.segment("start", each.claimed_at, started, title="claimed, not started"))
        look = _LOOKS.get(each.outcome, "failed")
        segments.append(
            axis.segment("run", started, each.finished_at, state=look, title=each.outcome.replace("_", " "))
        )
        axis.ends.append(each.finished_at)
        took = (each.finished_at - started).total_seconds() if each.started_at else None
        yield Bar(each.attempt, each, each.worker, segments, took)


def _open(job: Row, axis: _Axis) -> Iterator[Bar]:
    """The attempt that runs, or waits to."""
    if job.state in (State.RUNNING, State.CANCELLING) and job.locked_at:
        wait = axis.segment("wait", axis.last, job.locked_at, title="waiting")
        run = axis.segment("run", job.locked_at, job.now, state="running", title="running")
        yield Bar(job.attempts, None, job.worker, [wait, run], (job.now - job.locked_at).total_seconds(), running=True)
    elif job.state in (State.READY, State.SCHEDULED, State.RETRYING):
        segments = [axis.segment("wait", axis.last, job.now, title="waiting")]
        if job.available_at > job.now:
            segments.append(axis.segment("future", job.now, job.available_at, title="until it is due"))
        yield Bar(job.attempts + 1, None, None, segments)
    axis.ends.append(job.now)


def _replays(actions: Sequence[Row], begins: datetime, ends: datetime, since: datetime) -> Iterator[dict[str, Any]]:
    for act in actions:
        if act.action == "replay" and begins <= act.at <= ends:
            yield {"kind": "resume", "at": (act.at - since).total_seconds(), "title": f"replayed by {act.actor}"}
