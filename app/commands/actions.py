"""Replay and cancel: the same for single jobs and for groups of dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from app.commands.desk import Desk
from app.commands.output import counted
from app.commands.refusals import Failed, Refused
from worker.queries import cancellations, dead_letters

AT_ONCE = 500
"""Jobs that one transaction takes; a larger set is done by repeating the command."""


def some(ids: Sequence[UUID]) -> Sequence[UUID]:
    """The ids that were given; Refused when one transaction should not take as many."""
    if len(ids) > AT_ONCE:
        raise Refused(f"{len(ids)} jobs are more than the {AT_ONCE} that are done at once")
    return ids


def replay(desk: Desk, ids: Sequence[UUID], *, reason: str | None) -> None:
    """Give dead letters a new budget, and say which; Failed when none of them is one any more."""
    with desk.engine.begin() as conn:
        acted = dead_letters.replay(conn, job_ids=some(ids), actor=desk.actor, reason=reason)
    if not acted.done:
        raise Failed(f"nothing was replayed: {_none(ids)} a dead letter now")
    text = f"{counted(len(acted.done), 'job')} queued again"
    desk.answer({"replayed": acted.done, "skipped": acted.skipped}, text + _skipped(acted.skipped))


def cancel(desk: Desk, ids: Sequence[UUID], *, reason: str | None) -> None:
    """Cancel what waits or failed, ask what runs to stop; Failed when all of it is past either."""
    with desk.engine.begin() as conn:
        acted = cancellations.cancel(conn, job_ids=some(ids), actor=desk.actor, reason=reason)
    if not (acted.cancelled or acted.requested):
        raise Failed(f"nothing was cancelled: {_none(ids)} waiting, running or failed now")
    text = f"{counted(len(acted.cancelled), 'job')} cancelled"
    if acted.requested:
        text += f", {counted(len(acted.requested), 'running job')} asked to stop"
    desk.answer(
        {"cancelled": acted.cancelled, "requested": acted.requested, "skipped": acted.skipped},
        text + _skipped(acted.skipped),
    )


def _none(ids: Sequence[UUID]) -> str:
    return f"{ids[0]} is not" if len(ids) == 1 else f"none of {len(ids)} jobs is"


def _skipped(skipped: Sequence[UUID]) -> str:
    return f"; {len(skipped)} left as they are: {', '.join(map(str, skipped))}" if skipped else ""
