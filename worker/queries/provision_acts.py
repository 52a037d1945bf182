"""What people do about a tenant's provisioning: start it, have its next try at once, stop it; each audited."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, select, update

from worker.database import Id, moment
from worker.job_types import JobTypes
from worker.model import Status
from worker.queries import cancellations, provisioning, wakeups
from worker.queries.audit import Actor, record
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

_is_the_job = job.c.id == bindparam("of_job", type_=Id)
# By id alone, and judged once the row is ours: of two people who press at once, the second finds what the first did
LOCK = select(job.c.status).where(_is_the_job).with_for_update()
TRY_NOW = (
    update(job)
    .where(_is_the_job, has_status(Status.QUEUED), job.c.attempts > 0, job.c.available_at > moment())
    .values(available_at=moment(), scheduled=False, updated_at=moment())
    .returning(job.c.id)
)
_OVER = (Status.FAILED, Status.CANCELLED)


def provision(
    conn: Connection,
    job_types: JobTypes,
    *,
    tenant_id: UUID,
    actor: Actor,
    again: bool = False,
    now: datetime | None = None,
) -> bool:
    """Have the tenant provisioned; with `again`, what failed or was cancelled goes on at the step where it stopped.

    False when there was nothing to do: what waits, runs or is done stays as it is.
    """
    was_over = again and _locked(conn, tenant_id) in _OVER
    asked = provisioning.ensure_provision_job(conn, job_types, tenant_id=tenant_id, again=again, now=now)
    resumed = was_over and not asked.created
    if asked.created or resumed:
        detail = {"again": True} if resumed else None
        record(conn, actor=actor, action="provision", tenant_id=tenant_id, job_ids=[asked.id], detail=detail, now=now)
    return asked.created or resumed


def try_now(conn: Connection, *, tenant_id: UUID, actor: Actor, now: datetime | None = None) -> bool:
    """Make the try that waits for its time due at once; False when none waits."""
    done = list(conn.execute(TRY_NOW, {"of_job": _job_id(conn, tenant_id), "at_now": now}).scalars())
    if done:
        wakeups.wake(conn, channel=wakeups.JOBS)
        record(conn, actor=actor, action="try-now", tenant_id=tenant_id, job_ids=done, now=now)
    return bool(done)


def cancel(conn: Connection, *, tenant_id: UUID, actor: Actor, reason: str, now: datetime | None = None) -> bool:
    """Stop it: at once when it waits, between two steps when it runs; False when it was over or asked to stop."""
    job_id = _job_id(conn, tenant_id)
    if job_id is None or _locked(conn, tenant_id) in _OVER:
        return False
    acted = cancellations.cancel(conn, job_ids=[job_id], actor=actor, reason=reason, now=now)
    return bool(acted.cancelled or acted.requested)


def _job_id(conn: Connection, tenant_id: UUID) -> UUID | None:
    known = provisioning.status(conn, tenant_id=tenant_id)
    return known.job_id if known else None


def _locked(conn: Connection, tenant_id: UUID) -> Status | None:
    """The status of its job, which nobody else changes until this transaction ends."""
    found = conn.execute(LOCK, {"of_job": _job_id(conn, tenant_id)}).scalar()
    return found and Status(found)
