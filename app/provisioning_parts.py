"""What happened in a provisioning and what is to come, in parts that each lie on the row of one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.provisioning_steps import RUNS, WAITS, Step
from worker.database import Row
from worker.model import AttemptOutcome
from worker.queries.pages.states import State

_A_MOMENT = 0.05
_FOR_GOOD = (AttemptOutcome.DEAD_LETTER, AttemptOutcome.CANCELLED)
_WHEN_ASKED = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of time on a row: `wait`, `gap`, `start`, `run`, `kept`, `unknown` or `future`; `live` ends now."""

    row: int
    kind: str
    start: datetime
    end: datetime
    title: str
    state: str = ""
    live: bool = False

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end - self.start).total_seconds()


@dataclass(frozen=True, slots=True)
class _Try:
    """One claim of the job; `ended_at` is None for the one that holds."""

    row: int
    claimed_at: datetime
    ended_at: datetime | None = None
    due_at: datetime | None = None
    runs: tuple[tuple[Step, Row], ...] = ()


def past(job: Row, steps: Sequence[Step], attempts: Sequence[Row], since: datetime) -> Iterator[Part]:
    """What happened until now; `attempts` are the ones to draw, oldest first."""
    at = next((step.number for step in steps if step.state != "done"), len(steps))
    before: _Try | None = None
    for each in _tries(job, steps, attempts, at):
        yield from _idle(each.row, before, since, each.claimed_at)
        yield from _worked(job, each)
        before = each
    if job.state in WAITS:
        yield from _idle(at, before, since, job.now, due_at=job.available_at)


def future(job: Row, steps: Sequence[Step]) -> Iterator[Part]:
    """What is expected: the open step to its usual end, then the others, each as long as it usually is."""
    if job.state not in (State.RUNNING, *WAITS) or any(step.state == "stuck" for step in steps):
        return
    begins = max(job.now, job.available_at) if job.state in WAITS else job.now
    for step in steps:
        if step.state == "done" or step.usual is None:
            continue
        usual = timedelta(seconds=step.usual.median)
        ends = max(begins, step.runs[-1].started_at + usual) if step.is_open else begins + usual
        if ends > begins:
            yield Part(step.number, "future", begins, ends, "expected")
        begins = ends


def _tries(job: Row, steps: Sequence[Step], attempts: Sequence[Row], at: int) -> Iterator[_Try]:
    runs: dict[int, list[tuple[Step, Row]]] = {}
    for step in steps:
        for run in step.runs:
            runs.setdefault(run.generation, []).append((step, run))
    for each in attempts:
        mine = tuple(runs.get(each.generation, ()))
        if not mine and each.outcome == AttemptOutcome.COMPLETED:
            continue  # it did its steps, and nobody wrote when
        row = mine[0][0].number if mine else at
        due_at = each.retry_at or (_WHEN_ASKED if each.outcome in _FOR_GOOD else each.finished_at)
        yield _Try(row, each.claimed_at, each.finished_at, due_at, mine)
    if job.state in RUNS:
        mine = tuple(runs.get(job.generation, ()))
        yield _Try(mine[0][0].number if mine else at, job.locked_at, runs=mine)


def _idle(
    row: int, before: _Try | None, since: datetime, until: datetime, *, due_at: datetime | None = None
) -> Iterator[Part]:
    """From the end of one try to the beginning of the next: until it was due, and until somebody took it."""
    ended = before.ended_at if before and before.ended_at else since
    due = due_at or min(before.due_at if before and before.due_at else ended, until)
    if (due - ended).total_seconds() > _A_MOMENT:
        yield Part(row, "gap", ended, due, "until it was due")
    waits = max(due, ended)
    if (until - waits).total_seconds() > _A_MOMENT:
        yield Part(row, "wait", waits, until, "waiting for a worker", live=due_at is not None)


def _worked(job: Row, each: _Try) -> Iterator[Part]:
    """From the claim to the first step, and the steps."""
    ended = each.ended_at or job.now
    began = each.runs[0][1].started_at if each.runs else ended
    if (began - each.claimed_at).total_seconds() > _A_MOMENT:
        is_open = not each.runs and each.ended_at is None
        yield Part(each.row, "start", each.claimed_at, began, "claimed, not started", live=is_open)
    for step, run in each.runs:
        yield _run(job, step, run, ended)


def _run(job: Row, step: Step, run: Row, ended: datetime) -> Part:
    """A run as a bar; one whose worker was lost is not drawn as if it had gone on until that was noticed."""
    if run.finished_at is not None and run.outcome != "lost":
        kind = "kept" if step.kept and run.outcome == "done" else "run"
        return Part(step.number, kind, run.started_at, run.finished_at, run.outcome, state=run.outcome)
    if step.is_open and run is step.runs[-1]:
        return Part(
            step.number, "run", run.started_at, job.now, "running", "late" if step.is_late else "running", live=True
        )
    noticed = max(run.finished_at or ended, run.started_at)
    return Part(step.number, "unknown", run.started_at, noticed, "its end is not known", state="lost")
