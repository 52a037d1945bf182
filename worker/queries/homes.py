"""The group in which an error that just happened is counted: its own, or the one that people had it join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, func, select, update

from worker.database import among
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import platform_jobs as job

GO_HOME = (
    update(job)
    .where(among(job.c.id, "of_ids"), group.c.fingerprint == job.c.error_fingerprint, group.c.merged_into.is_not(None))
    .values(error_fingerprint=group.c.merged_into)
)


def home_of(fingerprint: ColumnElement[Any]) -> ColumnElement[Any]:
    """The group of a fingerprint, as one look at the primary key; what is kept apart by message is sorted later."""
    joined = select(group.c.merged_into).where(group.c.fingerprint == fingerprint).scalar_subquery()
    return func.coalesce(joined, fingerprint)


def go_home(conn: Connection, *, job_ids: Sequence[UUID]) -> None:
    """The same for jobs that have died already."""
    if job_ids:
        conn.execute(GO_HOME, {"of_ids": list(job_ids)})
