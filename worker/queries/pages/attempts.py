"""Attempts as they are told to a program: of some jobs, and of one worker page by page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Connection, Select, Text, bindparam, select, tuple_

from worker.database import Id, Row, Timestamp, among
from worker.queries.pages import cursors
from worker.queries.pages.sources import uuid
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import platform_jobs as job

_of_job = (job.c.handler_key, job.c.queue, job.c.event_id)
# Each claim is one generation, so the newest attempts of many jobs are found without a walk per job
OF_JOBS = (
    select(*attempt.c, *_of_job)
    .join(job, job.c.id == attempt.c.job_id)
    .where(among(job.c.id, "of_ids"), attempt.c.generation > job.c.generation - bindparam("at_most"))
    .order_by(attempt.c.job_id, attempt.c.generation.desc())
)
_key = (attempt.c.finished_at, attempt.c.job_id, attempt.c.generation)
_last = (
    select(*attempt.c)
    .where(attempt.c.worker_id == bindparam("of_worker", type_=Text))
    .order_by(*(column.desc() for column in _key))
    .limit(bindparam("at_most"))
)
_before = tuple_(*_key) < tuple_(
    bindparam("before_time", type_=Timestamp),
    bindparam("before_job", type_=Id),
    bindparam("before_generation", type_=BigInteger),
)


def _with_jobs(page: Select[Any]) -> Select[Any]:
    """The few attempts of a page with what is known of their jobs, which may be pruned."""
    rows = page.subquery("page")
    joined = select(rows, *_of_job).outerjoin(job, job.c.id == rows.c.job_id)
    return joined.order_by(rows.c.finished_at.desc(), rows.c.job_id.desc(), rows.c.generation.desc())


OF_WORKER, OF_WORKER_BEFORE = _with_jobs(_last), _with_jobs(_last.where(_before))
LOOKED_AT = 1_000
"""The last attempts of a worker among which those of one tenant are looked for: they may be rare."""
OF_WORKER_AND_TENANT = (
    _with_jobs(_last).where(job.c.tenant_id == bindparam("of_tenant", type_=Id)).limit(bindparam("most_shown"))
)


@dataclass(frozen=True, slots=True)
class AttemptDetail:
    """One attempt; without an outcome it is the one that runs now, or waits in its worker's hands.

    `started_at` and `duration_ms` are None where its handler never began; what is said of the job, once that is pruned.
    """

    job_id: UUID
    generation: int
    attempt: int
    handler_key: str | None
    queue: str | None
    event_id: str | None
    worker_id: str
    claimed_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_ms: float | None = None
    outcome: str | None = None
    retry_at: datetime | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptsPage:
    """What one worker ran, the last to end first, and the cursor of the next page when there is one."""

    attempts: tuple[AttemptDetail, ...]
    next_cursor: str | None


def of_jobs(conn: Connection, *, job_ids: Sequence[UUID], limit: int) -> Iterable[AttemptDetail]:
    """The newest attempts that ended of each job, newest first."""
    return (_detail(row) for row in conn.execute(OF_JOBS, {"of_ids": list(job_ids), "at_most": limit}))


def of_worker(conn: Connection, *, instance_id: str, limit: int, cursor: str | None = None) -> AttemptsPage:
    """One page of the attempts that a worker ended."""
    values: dict[str, Any] = {"of_worker": instance_id, "at_most": limit + 1}
    if cursor is not None:
        key = cursors.decode(cursor, cursors.instant, uuid, cursors.number)
        values |= dict(zip(("before_time", "before_job", "before_generation"), key, strict=True))
    rows = conn.execute(OF_WORKER if cursor is None else OF_WORKER_BEFORE, values).all()
    shown = tuple(_detail(row) for row in rows[:limit])
    last = shown[-1] if len(rows) > limit else None
    return AttemptsPage(shown, cursors.encode(last.finished_at, last.job_id, last.generation) if last else None)


def of_worker_and_tenant(
    conn: Connection, *, instance_id: str, tenant_id: UUID, limit: int
) -> tuple[AttemptDetail, ...]:
    """The newest of a tenant's attempts among the last that a worker ended."""
    values = {"of_worker": instance_id, "of_tenant": tenant_id, "at_most": LOOKED_AT, "most_shown": limit}
    return tuple(_detail(row) for row in conn.execute(OF_WORKER_AND_TENANT, values))


def _detail(row: Row) -> AttemptDetail:
    duration = (row.finished_at - row.started_at) / timedelta(milliseconds=1) if row.started_at else None
    return AttemptDetail(**row._mapping, duration_ms=duration)
