"""Provisionings that do not get on: nobody takes them, or no step of theirs has ended for long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, and_, bindparam, func, or_, select

from worker.database import among, greatest, moment, seconds
from worker.model import Status
from worker.queries.pages import provisioning
from worker.queries.pages.backlog import RUNNING, is_in
from worker.queries.pages.provisioning import AGAIN
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import job_steps as step
from worker.queries.schema import platform_jobs as job

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

# The first try of the budget that it is in: what came before a new budget is no reason to call it stuck
_first_try = and_(attempt.c.job_id == job.c.id, attempt.c.generation == job.c.generation - job.c.attempts + 1)
TENANTS = provisioning.TENANTS.outerjoin(attempt, _first_try)
"""Each tenant with its provisioning job and the first try of that."""

_tried_since = func.coalesce(attempt.c.claimed_at, job.c.locked_at, job.c.updated_at)
_last_step = (
    select(func.max(step.c.finished_at)).where(step.c.job_id == job.c.id, step.c.outcome == "done").scalar_subquery()
)
PROGRESSED_AT = greatest(_tried_since, func.coalesce(_last_step, _tried_since))
"""When a step last ended well, or else when the trying began."""

UNTAKEN = and_(is_in(Status.QUEUED), ~or_(bindparam("all_served", type_=Boolean), among(job.c.queue, "served_queues")))
IDLE = and_(or_(RUNNING, AGAIN), moment() > PROGRESSED_AT + seconds(bindparam("stuck_after")))
STUCK = or_(UNTAKEN, IDLE)


@dataclass(frozen=True, slots=True)
class Watch:
    """By what one is called stuck: where a live worker takes it (None: anywhere), how long without a step is long."""

    served_queues: frozenset[str] | None
    after_seconds: float

    @property
    def values(self) -> dict[str, Any]:
        """What the conditions of this module bind."""
        served = {"all_served": self.served_queues is None, "served_queues": sorted(self.served_queues or ())}
        return {**served, "stuck_after": self.after_seconds}


def watch(figures: Figures, *, after_seconds: float) -> Watch:
    """The watch that a sample of the figures stands for."""
    return Watch(figures.provisioned_queues, after_seconds)
