"""A provisioning as rows of bars: a row per step, every attempt on the row of the step that it worked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app import time_axis
from app.provisioning_parts import Part, future, past
from app.provisioning_steps import RUNS, WAITS, Step
from app.time_axis import Axis
from worker.database import Row

SHOWN = 12
"""The last attempts that are drawn; the table has the others."""

_SOON = 5.0
_BRIEF = 0.2  # seconds of work below which no wait is long
_ROOM = timedelta(seconds=1)
_IDLE = ("wait", "gap")
_RAN = ("run", "kept", "unknown")
_MEASURES = ("run", "kept", "future")


@dataclass(frozen=True, slots=True)
class Line:
    """A step with what `ui.timeline` draws on its row; segments that wait carry their true length in `seconds`."""

    step: Step
    segments: list[dict[str, Any]]
    marks: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rows, and the axis they share; `holds` is for how many seconds what it expects is true, None
    where nothing is expected any more; `folds` counts the stretches that are folded, or could be."""

    since: datetime
    axis: Axis
    lines: list[Line]
    left_out: int
    folds: int
    holds: float | None

    @property
    def span(self) -> float:
        """The length of the axis, folded as it is."""
        return self.axis.span


def of(job: Row, steps: Sequence[Step], attempts: Sequence[Row], *, unfolded: bool = False) -> Timeline:
    """The timeline of a job from its steps and its attempts, the newest first."""
    drawn = list(reversed(attempts[:SHOWN]))
    left_out = len(attempts) - len(drawn)
    since = attempts[SHOWN].finished_at if left_out else min([job.asked_at, *(each.claimed_at for each in drawn)])
    parts = [*past(job, steps, drawn, since), *future(job, steps)]
    length = _length(job, parts, since)
    folding = _axis(parts, since, length)
    sheet = _Sheet(job, since, Axis(length) if unfolded else folding, resumes(job, steps))
    lines = [sheet.line(step, [part for part in parts if part.row == step.number]) for step in steps]
    return Timeline(since, sheet.axis, lines, left_out, len(folding.folds), _holds(job, parts, length))


def resumes(job: Row, steps: Sequence[Step]) -> tuple[int, datetime] | None:
    """The step at which the last attempt took up the work of those before, or the next one will, and when."""
    at = next((step.number for step in steps if step.state != "done"), None)
    if job.state in RUNS and job.generation > 1:
        first = (step.number for step in steps if any(run.generation == job.generation for run in step.runs))
        at = next(first, at)
        return (at, job.locked_at) if at else None
    if at is None or not job.generation or job.state in RUNS:
        return None
    return at, max(job.now, job.available_at) if job.state in WAITS else job.finished_at


def _length(job: Row, parts: Sequence[Part], since: datetime) -> float:
    """Seconds from the start to the end of the last part; where something runs, with room for it to go on."""
    ends = [(part.end - since).total_seconds() for part in parts]
    if job.state in RUNS:
        ends.append((job.now - since + max((job.now - job.locked_at) / 10, _ROOM)).total_seconds())
    return max([0.001, *ends])


def _axis(parts: Sequence[Part], since: datetime, length: float) -> Axis:
    """Folded where nothing is done or expected; where nothing ever is, there is no measure of long."""
    busy = [part for part in parts if part.kind not in _IDLE]
    if not busy:
        return Axis(length)
    longest = max((part.seconds for part in busy if part.kind in _MEASURES), default=0)
    spans = [((part.start - since).total_seconds(), (part.end - since).total_seconds()) for part in busy]
    return time_axis.folded(spans, length, longest=max(longest, _BRIEF))


def _holds(job: Row, parts: Sequence[Part], length: float) -> float | None:
    """Seconds for which the drawing holds: to where the step should be done, or a little longer once it is overdue."""
    if job.state not in (*WAITS, *RUNS):
        return None
    ends = [(part.end - job.now).total_seconds() for part in parts if part.kind == "future"]
    return max(min((each for each in ends if each > 0), default=0), length / 20, _SOON)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What the rows are drawn on."""

    job: Row
    since: datetime
    axis: Axis
    resumes: tuple[int, datetime] | None

    def at(self, when: datetime) -> float:
        """The place of an instant on the axis."""
        return self.axis.at((when - self.since).total_seconds())

    def line(self, step: Step, parts: Sequence[Part]) -> Line:
        """The row of one step."""
        bands = [
            {"kind": "folded", "start": self.axis.at(f.start), "end": self.axis.at(f.end)} for f in self.axis.folds
        ]
        drawn = {(each["kind"], each["start"]): each for each in map(self._segment, parts)}  # one zigzag for each fold
        return Line(step, [*bands, *drawn.values()], list(self._marks(step, parts)))

    def _segment(self, part: Part) -> dict[str, Any]:
        """The part as it is drawn; one that waits where the axis is folded becomes the zigzag of that fold."""
        start, end = ((when - self.since).total_seconds() for when in (part.start, part.end))
        looks: dict[str, Any] = {"kind": part.kind, "state": part.state, "title": part.title, "seconds": part.seconds}
        fold = next((each for each in self.axis.folds if start < each.end and end > each.start), None)
        if part.kind in _IDLE and fold:
            looks |= {"kind": "fold", "seconds": fold.seconds}
            start, end = fold.start, fold.end
        return looks | {"start": self.axis.at(start), "end": self.axis.at(end), "live": part.live and not fold}

    def _marks(self, step: Step, parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
        ran = next((part.start for part in reversed(parts) if part.kind in _RAN), None)
        begins = ran or next((part.start for part in parts if part.kind == "future"), None)
        if begins and step.usual:
            for kind, seconds in (("median", step.usual.median), ("p95", step.usual.p95)):
                when = begins + timedelta(seconds=seconds)
                if (when - self.since).total_seconds() <= self.axis.length:
                    yield {"kind": kind, "at": self.at(when), "seconds": seconds}
        if self.job.state in (*WAITS, *RUNS):
            yield {"kind": "now", "at": self.at(self.job.now)}
        if self.resumes and self.resumes[0] == step.number:
            yield {"kind": "resume", "at": self.at(self.resumes[1])}
