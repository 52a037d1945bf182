"""What a job is to an operator: the five stored statuses, told apart further where it helps. Described here alone."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, case

from worker.database import moment
from worker.model import Status
from worker.queries.pages.backlog import DEAD, LATER, RUNNING, WAITING, is_in
from worker.queries.schema import platform_jobs as job


class State(StrEnum):
    """A description of a job; what is stored as queued is ready, scheduled or retrying."""

    READY = "ready"
    SCHEDULED = "scheduled"
    RETRYING = "retrying"
    RUNNING = "running"
    CANCELLING = "cancelling"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    CANCELLED = "cancelled"


_queued = is_in(Status.QUEUED)
_not_due = and_(_queued, job.c.available_at > moment())
STATE: ColumnElement[str] = case(
    (and_(_not_due, job.c.attempts > 0), State.RETRYING),
    (_not_due, State.SCHEDULED),
    (_queued, State.READY),
    (and_(RUNNING, job.c.cancel_requested_at.is_not(None)), State.CANCELLING),
    (RUNNING, State.RUNNING),
    (DEAD, State.DEAD),
    (is_in(Status.CANCELLED), State.CANCELLED),
    else_=State.SUCCEEDED,
)

CONDITIONS: Mapping[str, ColumnElement[bool]] = {
    Status.QUEUED: _queued,
    State.READY: WAITING,
    State.SCHEDULED: LATER,
    State.RETRYING: and_(LATER, job.c.attempts > 0),
    Status.RUNNING: RUNNING,
    Status.SUCCEEDED: is_in(Status.SUCCEEDED),
    Status.FAILED: DEAD,
    Status.CANCELLED: is_in(Status.CANCELLED),
}
"""What a list may be narrowed to, as the indexes know it: what came due this second is still among the scheduled."""
