"""Who has an idempotency key."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, cast, func, literal_column, select

from worker.database import Row
from worker.queries.schema import platform_jobs as job

HOLDER = select(job.c.id, job.c.status, job.c.job_type, job.c.payload).where(
    # As in the index of the keys
    func.coalesce(cast(job.c.tenant_id, Text), literal_column("''", Text)) == bindparam("of_tenant", type_=Text),
    job.c.idempotency_key == bindparam("of_key", type_=Text),
)


def holder(conn: Connection, *, tenant_id: UUID | None, idempotency_key: str) -> Row | None:
    """The job that has the key, if any has; keys are each tenant's own."""
    values = {"of_tenant": str(tenant_id) if tenant_id else "", "of_key": idempotency_key}
    return conn.execute(HOLDER, values).one_or_none()
