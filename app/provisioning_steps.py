"""The steps of one provisioning as an operator reads them: the state of each in one word, its runs, its usual time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from worker.database import Row
from worker.provisioning.steps import STEPS
from worker.queries.pages.states import State
from worker.queries.pages.step_times import Usual

WAITS = (State.READY, State.SCHEDULED, State.RETRYING)
RUNS = (State.RUNNING, State.CANCELLING)
NOT_YET = "not yet"


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `runs` are those that began, oldest first, the last of which goes on now when it `is_open`.

    `usual` is None where too few tenants had it.
    """

    number: int
    name: str
    state: str
    runs: tuple[Row, ...]
    kept: bool
    is_open: bool
    usual: Usual | None
    now: datetime

    @property
    def took(self) -> float | None:
        """Seconds of the last run, of an open one so far; None where its time is not known."""
        if not self.runs or (not self.is_open and self.runs[-1].outcome in (None, "lost")):
            return None
        took: timedelta = (self.runs[-1].finished_at or self.now) - self.runs[-1].started_at
        return took.total_seconds()

    @property
    def ratio(self) -> float | None:
        """What the last run took, in medians of the fleet."""
        if self.took is None or self.usual is None or not self.usual.median:
            return None
        return self.took / self.usual.median

    @property
    def is_late(self) -> bool:
        """Whether it runs longer than 95 of 100 tenants had to wait."""
        return self.is_open and self.usual is not None and self.took is not None and self.took > self.usual.p95

    @property
    def failures(self) -> int:
        """How many of its runs did not get through."""
        return sum(run.outcome in ("failed", "lost") for run in self.runs)

    @property
    def error(self) -> str | None:
        """What its last run failed of."""
        return self.runs[-1].error if self.runs and self.state != "done" else None


def of(job: Row, runs: Sequence[Row], usual: Mapping[str, Usual], *, is_served: bool = True) -> list[Step]:
    """The six steps; `job` is the provisioning's, or the tenant alone where it was never asked for.

    It is served while some live worker could take it, or the one that has it lives.
    """
    began = [run for run in runs if run.outcome != "skipped"]
    at = next((name for name in STEPS if name not in (job.steps_completed or ())), None)
    return [
        Step(
            number,
            name,
            state := _state(job, name, at, began, is_served=is_served),
            runs := tuple(run for run in began if run.step == name),
            state == "done" and _is_kept(job, name, began),
            is_served and job.state in RUNS and bool(runs) and _goes_on(job, runs[-1]),
            usual.get(name),
            job.now,
        )
        for number, name in enumerate(STEPS, 1)
    ]


def _goes_on(job: Row, run: Row) -> bool:
    return bool(run.finished_at is None and run.generation == job.generation)


def _state(job: Row, name: str, at: str | None, began: Sequence[Row], *, is_served: bool) -> str:
    if name in (job.steps_completed or ()):
        return "done"
    if name != at or job.job_id is None:
        return NOT_YET
    if job.state == State.CANCELLING:
        return "cancelling"
    if not is_served and job.state in (*WAITS, *RUNS):
        return "stuck"
    if job.state == State.RUNNING:
        return "running" if any(run.step == name and run.generation == job.generation for run in began) else "starting"
    return {State.RETRYING: "retrying", State.READY: "waiting", State.SCHEDULED: "waiting"}.get(
        job.state, {State.DEAD: "failed", State.CANCELLED: "cancelled"}.get(job.state, NOT_YET)
    )


def _is_kept(job: Row, name: str, began: Sequence[Row]) -> bool:
    """Whether an earlier attempt did it and the one that runs, or is to come, need not do it again."""
    if job.state == State.SUCCEEDED:
        return False
    done_in: list[int] = [run.generation for run in began if run.step == name and run.outcome == "done"]
    following: int = job.generation if job.state in RUNS else job.generation + 1
    return (done_in[-1] if done_in else 1) < following
