"""Provisionings as the pages read them: rows that say what a test is about, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from app import provisioning_steps
from app.provisioning_steps import Step
from tests.factories import NOON
from worker.provisioning.steps import STEPS
from worker.queries.pages.states import State
from worker.queries.pages.step_times import Usual

USUAL = {step: Usual(200, median=10, p95=30) for step in STEPS}


def at(seconds: float) -> datetime:
    """So many seconds after noon, when it was asked for."""
    return NOON + timedelta(seconds=seconds)


def job(state: State = State.RUNNING, now: float = 100, *, done: int = 0, **columns: Any) -> Any:
    """A provisioning's job, asked for at noon and looked at `now`."""
    row = {"job_id": 7, "asked_at": NOON, "available_at": NOON, "locked_at": None, "finished_at": None}
    row |= {"generation": 1, "attempts": 1, "steps_completed": list(STEPS[:done])}
    return SimpleNamespace(state=state, now=at(now), **row | columns)


def attempt(generation: int, claimed: float, ended: float, outcome: str = "failed", retry: float | None = None) -> Any:
    """An attempt that ended."""
    retry_at = None if retry is None else at(retry)
    return SimpleNamespace(
        generation=generation, claimed_at=at(claimed), finished_at=at(ended), outcome=outcome, retry_at=retry_at
    )


def run(number: int, began: float, ended: float | None = None, outcome: str | None = None, generation: int = 1) -> Any:
    """A run of the step of that number; done when it ended, unless told otherwise."""
    finished_at = None if ended is None else at(ended)
    outcome = outcome or ("done" if ended is not None else None)
    return SimpleNamespace(
        step=STEPS[number - 1],
        generation=generation,
        started_at=at(began),
        finished_at=finished_at,
        outcome=outcome,
        error="denied" if outcome == "failed" else None,
    )


def steps(row: Any, *runs: Any, usual: Mapping[str, Usual] = USUAL, is_served: bool = True) -> list[Step]:
    """The steps of the job."""
    return provisioning_steps.of(row, runs, usual, is_served=is_served)


def states(found: Sequence[Step]) -> list[str]:
    """The word of each step."""
    return [step.state for step in found]
