"""The fence of a claim: what every later write about it matches, and what a job looks like once it is let go."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, null

from worker.database import moment
from worker.model import Status
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job


def is_held(job_id: ColumnElement[Any], generation: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the claim is still that of the worker bound as `by_instance`.

    Whoever is named as a holder is running it, by constraint; asking for the status too would have the planner walk
    over all that runs, instead of finding each job by its id.
    """
    return and_(job.c.id == job_id, job.c.generation == generation, job.c.locked_by == bindparam("by_instance"))


def is_running(job_id: ColumnElement[Any], generation: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the claim still stands: what a handler can ask, who does not know by which worker it is run."""
    return and_(job.c.id == job_id, job.c.generation == generation, has_status(Status.RUNNING))


LET_GO = {"locked_by": null(), "locked_at": null(), "lease_expires_at": null(), "updated_at": moment()}
