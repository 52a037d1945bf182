"""Jobs with their whole history, by id or by event, told to a program: without payloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from worker.database import Id, Row
from worker.model import Status
from worker.queries.pages import attempts
from worker.queries.pages.attempts import AttemptDetail
from worker.queries.pages.states import STATE
from worker.queries.schema import platform_jobs as job

SIBLINGS = 200
"""The jobs of one event that are read; each is one subscriber's."""


@dataclass(frozen=True, slots=True)
class JobDetail:
    """One job, its newest attempts first; `state` tells apart what `status` calls queued (see the console's words)."""

    id: UUID
    job_type: str
    handler_key: str
    tenant_id: UUID | None
    event_id: str | None
    event_type: str | None
    subscriber_id: str | None
    queue: str
    source: str
    status: str
    state: str
    progress: float
    attempts: int
    max_attempts: int
    generation: int
    replays: int
    locked_by: str | None
    locked_at: datetime | None
    lease_expires_at: datetime | None
    cancel_requested_at: datetime | None
    error_type: str | None
    error_detail: str | None
    available_at: datetime
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    history: tuple[AttemptDetail, ...]


_stored = (job.c[each.name] for each in fields(JobDetail) if each.name in job.c)
_jobs = select(*_stored, STATE.label("state"))
OF_ID = _jobs.where(job.c.id == bindparam("of_id", type_=Id))
OF_EVENT = _jobs.where(job.c.event_id == bindparam("of_event")).order_by(job.c.subscriber_id).limit(SIBLINGS)


def job_of(conn: Connection, *, job_id: UUID, attempt_limit: int, now: datetime | None = None) -> JobDetail | None:
    """The job with that many attempts; None when there is none of that id."""
    found = conn.execute(OF_ID, {"of_id": job_id, "at_now": now}).all()
    return next(iter(_details(conn, found, attempt_limit)), None)


def jobs_of(
    conn: Connection, *, event_id: str, attempt_limit: int, now: datetime | None = None
) -> tuple[JobDetail, ...]:
    """The jobs of one event, by subscriber, each with that many attempts."""
    found = conn.execute(OF_EVENT, {"of_event": event_id, "at_now": now}).all()
    return _details(conn, found, attempt_limit)


def _details(conn: Connection, found: Sequence[Row], limit: int) -> tuple[JobDetail, ...]:
    by_generation: dict[UUID, dict[int, AttemptDetail]] = {row.id: _running(row) for row in found}
    for each in attempts.of_jobs(conn, job_ids=list(by_generation), limit=limit):
        by_generation[each.job_id][each.generation] = each
    histories = {job_id: tuple(each.values())[:limit] for job_id, each in by_generation.items()}
    return tuple(
        JobDetail(**{**row._mapping, "progress": float(row.progress)}, history=histories[row.id]) for row in found
    )


def _running(row: Row) -> dict[int, AttemptDetail]:
    """The attempt that has no record yet, by its generation."""
    if row.status != Status.RUNNING or row.locked_by is None or row.locked_at is None:
        return {}
    what = (row.id, row.generation, row.attempts, row.handler_key, row.queue, row.event_id)
    return {row.generation: AttemptDetail(*what, worker_id=row.locked_by, claimed_at=row.locked_at)}
