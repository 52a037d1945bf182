"""One tenant: who it is, its provisioning with every step of it, and the newest of its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Connection, Text, bindparam, or_, select

from worker.database import Id, Row, moment
from worker.queries.pages import jobs, provisioning, stuck
from worker.queries.pages.filters import Filters
from worker.queries.pages.names import worker_name
from worker.queries.pages.states import STATE
from worker.queries.pages.stuck import IDLE, PROGRESSED_AT, UNTAKEN, Watch
from worker.queries.schema import job_steps as step
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

NEWEST = 6
ATTEMPTS = 13
"""The attempts whose steps are read, the last to begin; of those before, what they got done."""

TENANT = select(
    *provisioning.FACTS,
    tenant.c.display_name,
    tenant.c.schema_name,
    tenant.c.onboarding_status,
    tenant.c.created_at,
    tenant.c.activated_at,
    job.c.queue,
    job.c.job_type,
    job.c.source,
    job.c.generation,
    job.c.progress,
    job.c.finished_at,
    job.c.cancel_requested_at,
    job.c.lease_expires_at,
    job.c.locked_by,
    job.c.error_type,
    job.c.error_fingerprint,
    STATE.label("state"),
    UNTAKEN.label("is_untaken"),
    IDLE.label("is_idle"),
    PROGRESSED_AT.label("progressed_at"),
    worker_name(job.c.locked_by).label("worker"),
    moment().label("now"),
).select_from(stuck.TENANTS)
BY_SLUG = TENANT.where(tenant.c.slug == bindparam("as_slug", type_=Text))
BY_ID = TENANT.where(tenant.c.id == bindparam("of_id", type_=Id))
STEPS_OF = (
    select(*step.c)
    .where(
        step.c.job_id == bindparam("of_job", type_=Id),
        or_(step.c.generation > bindparam("after", type_=BigInteger), step.c.outcome == "done"),
    )
    .order_by(step.c.generation, step.c.ordinal)
)


def find(conn: Connection, *, name: str, watch: Watch, now: datetime | None = None) -> Row | None:
    """The tenant of that id or slug with its provisioning job, whose columns are None while there is none."""
    if not (name.isascii() and name.isprintable()):
        return None
    try:
        found = conn.execute(BY_ID, {**watch.values, "of_id": UUID(name), "at_now": now}).first()
    except ValueError:
        found = None
    return found or conn.execute(BY_SLUG, {**watch.values, "as_slug": name, "at_now": now}).first()


def steps(conn: Connection, *, job_id: UUID, generation: int) -> Sequence[Row]:
    """The runs of its steps in the order in which they began."""
    return conn.execute(STEPS_OF, {"of_job": job_id, "after": generation - ATTEMPTS}).all()


def newest(conn: Connection, *, tenant: Row, status: str | None = None, now: datetime) -> Sequence[Any]:
    """The newest of its jobs, or of those of a status."""
    wanted = Filters(tenant=tenant.slug, status=status)
    return jobs.read(conn, wanted, tenant_id=tenant.id, now=now).rows[:NEWEST]
