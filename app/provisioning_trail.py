"""What happened in a provisioning, step by step, with what operators did about it: one list, the newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from app.trail import SHOWN, Entry
from worker.database import Row
from worker.queries.pages.states import State

_AT_ONCE = timedelta(seconds=5)


def of(job: Row, attempts: Sequence[Row], runs: Sequence[Row], actions: Sequence[Row]) -> list[Entry]:
    """The newest entries, thirty at most; a step ends before the next one of the same instant begins."""
    entries = _entries(job, attempts, runs, actions)
    return sorted(entries, key=lambda entry: (entry.at, entry.kind == "began"), reverse=True)[:SHOWN]


def asked_by(job: Row, actions: Sequence[Row]) -> Row | None:
    """The act that asked for it first; None where a program did, or the trail has no more of it."""
    return next((act for act in actions if act.action == "provision" and act.at - job.asked_at < _AT_ONCE), None)


def _entries(job: Row, attempts: Sequence[Row], runs: Sequence[Row], actions: Sequence[Row]) -> Iterator[Entry]:
    if job.state in (State.RUNNING, State.CANCELLING) and job.locked_at:
        yield Entry(job.locked_at, "claimed", job)
    for run in runs:
        if run.outcome != "skipped" and run.finished_at is not None:
            yield Entry(run.finished_at, "step", run)
        elif run.outcome is None:
            yield Entry(run.started_at, "began", run)
    told = {run.generation for run in runs if run.outcome in ("failed", "done")}
    for each in attempts:
        if each.outcome not in ("completed", "failed", "dead_letter") or each.generation not in told:
            yield Entry(each.finished_at, "attempt", each)
    yield from (Entry(each.at, "act", each) for each in actions)
    if asked_by(job, actions) is None:
        yield Entry(job.asked_at, "asked", job)
