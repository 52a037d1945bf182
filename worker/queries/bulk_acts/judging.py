"""Whether an act may still move a job, and undoing put it back: judged by its row once that row is ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worker.database import Row
from worker.model import Status
from worker.queries.bulk_acts.acts import Action

GONE, REPLAYED, AGAIN, ASKED, READY, THERE = "gone", "replayed", "again", "asked", "ready", "there"
BEGUN, CHANGED, HEARD = "begun", "changed", "heard"
"""Why a job is left as it is, where its status alone does not say it."""

Refusal = str | None
_OVER = (Status.SUCCEEDED, Status.CANCELLED)


def refusal(act: Row, member: Row, job: Row | None) -> Refusal:
    """Why the act leaves the job as it is; None when it moves it."""
    return GONE if job is None else _MAY[act.action](act, member, job)


def _replay(act: Row, member: Row, job: Row) -> Refusal:
    if job.status != Status.FAILED:
        return str(job.status)
    # It was replayed by somebody else since it was chosen, and failed again: one replay was meant, not two
    if (job.replays, job.generation) != (member.was_replays, member.was_generation):
        return REPLAYED
    return AGAIN if act.seen_at is not None and job.finished_at > act.seen_at else None


def _cancel(_: Row, member: Row, job: Row) -> Refusal:
    if job.status in _OVER:
        return str(job.status)
    if job.replays != member.was_replays:
        return REPLAYED
    return ASKED if job.status == Status.RUNNING and job.cancel_requested_at is not None else None


def _run(act: Row, _: Row, job: Row) -> Refusal:
    if job.status != Status.QUEUED:
        return str(job.status)
    return None if job.scheduled and job.available_at > act.now else READY


def _reassign(act: Row, _: Row, job: Row) -> Refusal:
    if job.status != Status.QUEUED:
        return str(job.status)
    return THERE if job.queue == act.to_queue else None


_MAY: Mapping[str, Callable[[Row, Row, Row], Refusal]] = {
    Action.REPLAY: _replay,
    Action.CANCEL: _cancel,
    Action.RUN: _run,
    Action.REASSIGN: _reassign,
}


def standing(member: Row, job: Row | None) -> Refusal:
    """Why undoing leaves the job as it is; None when nothing happened to it since the act moved it."""
    if job is None:
        return GONE
    if job.generation != member.was_generation and member.was_status != Status.RUNNING:
        return BEGUN
    asked = member.was_status == Status.RUNNING
    if asked and job.status == Status.RUNNING and job.beat_at is not None and job.beat_at > member.moved_at:
        return HEARD  # its worker knows of the request, and has told the handler
    at = job.cancel_requested_at if asked else job.updated_at
    return None if at == member.moved_at and (job.status == Status.RUNNING) is asked else CHANGED
