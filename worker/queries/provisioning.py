"""A tenant's provisioning: one job for each tenant, asked for as often as anybody likes (S1-83 to S1-89)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, and_, bindparam, func, literal, literal_column, select, update
from sqlalchemy import cast as sql_cast

from worker.database import Id, Row
from worker.errors import UnknownTenant
from worker.job_types import PROVISION_JOB_TYPE, JobTypes
from worker.model import Status
from worker.new_jobs import Enqueued, NewJob
from worker.queries import jobs
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

NOT_STARTED = "not_started"

_of_tenant = tenant.c.id == bindparam("of_tenant", type_=Id)
_id = sql_cast(tenant.c.id, Text)
_NOBODY = literal_column("''", Text)
TENANTS = tenant.outerjoin(
    job,
    and_(
        # As the index of the keys is written, to the letter; SQLite does not see it against a plain text
        func.coalesce(sql_cast(job.c.tenant_id, Text), _NOBODY) == func.coalesce(_id, _NOBODY),
        job.c.idempotency_key == literal("provision:").concat(_id),
    ),
)
"""Each tenant with its provisioning job, found by its key (S1-61)."""

ONBOARDING = select(tenant.c.onboarding_status).where(_of_tenant)
BEGIN = (
    update(tenant).where(_of_tenant, tenant.c.onboarding_status == "created").values(onboarding_status="provisioning")
)
STATUS = (
    select(
        tenant.c.id.label("tenant_id"),
        job.c.id.label("job_id"),
        job.c.status,
        job.c.progress,
        job.c.steps_completed,
        job.c.attempts,
        job.c.max_attempts,
        job.c.available_at,
        job.c.created_at,
        job.c.finished_at,
        job.c.error_detail,
    )
    .select_from(TENANTS)
    .where(_of_tenant)
)


@dataclass(frozen=True, slots=True)
class ProvisionStatus:
    """How far a tenant's provisioning is; `not_started` where nobody has asked for it yet (S1-88, S1-89)."""

    tenant_id: UUID
    status: str = NOT_STARTED
    progress: float = 0
    steps_completed: tuple[str, ...] = ()
    error_detail: str | None = None
    job_id: UUID | None = None
    attempts: int = 0
    max_attempts: int = 0
    next_attempt_at: datetime | None = None
    requested_at: datetime | None = None
    finished_at: datetime | None = None


def key_of(tenant_id: UUID) -> str:
    """The idempotency key of a tenant's one provisioning job (S1-61)."""
    return f"provision:{tenant_id}"


def ensure_provision_job(
    conn: Connection, job_types: JobTypes, *, tenant_id: UUID, again: bool = False, now: datetime | None = None
) -> Enqueued:
    """The tenant's provisioning job, made when there is none; with `again` a failed or cancelled one runs once more.

    Whatever else became of it is left as it is (S1-84). UnknownTenant when there is no such tenant.
    """
    onboarding = conn.execute(ONBOARDING, {"of_tenant": tenant_id}).scalar_one_or_none()
    if onboarding is None:
        raise UnknownTenant
    new = NewJob(PROVISION_JOB_TYPE, tenant_id=tenant_id, idempotency_key=key_of(tenant_id))
    enqueued = jobs.enqueue(conn, job_types, new, retry_terminal=again, now=now)
    if onboarding == "created":
        conn.execute(BEGIN, {"of_tenant": tenant_id})
    return enqueued


def status(conn: Connection, *, tenant_id: UUID) -> ProvisionStatus | None:
    """How far it is; None when there is no such tenant."""
    row = conn.execute(STATUS, {"of_tenant": tenant_id}).one_or_none()
    if row is None:
        return None
    return ProvisionStatus(row.tenant_id) if row.job_id is None else _of(row)


def _of(row: Row) -> ProvisionStatus:
    return ProvisionStatus(
        tenant_id=row.tenant_id,
        status=row.status,
        progress=float(row.progress),
        steps_completed=tuple(row.steps_completed),
        error_detail=row.error_detail,
        job_id=row.job_id,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        next_attempt_at=row.available_at if row.status == Status.QUEUED else None,
        requested_at=row.created_at,
        finished_at=row.finished_at,
    )
