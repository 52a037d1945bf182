"""Tenants that are being provisioned: how far each came, and which have stopped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, and_, bindparam, case, func, select

from worker.database import Id
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries import provisioning
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

PROVISION_TENANT = "provision_tenant"
SHOWN = 20


class Stage(StrEnum):
    """Where a tenant's provisioning is."""

    NOT_STARTED = "not started"
    WAITING = "waiting"
    RUNNING = "running"
    RETRYING = "retrying"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DONE = "done"


STOPPED = (Stage.FAILED, Stage.CANCELLED, Stage.RETRYING)
_STAGES = {
    Status.QUEUED: Stage.WAITING,
    Status.RUNNING: Stage.RUNNING,
    Status.FAILED: Stage.FAILED,
    Status.CANCELLED: Stage.CANCELLED,
    Status.SUCCEEDED: Stage.DONE,
}
_MARKS = {Stage.RUNNING: "running", Stage.RETRYING: "retrying", Stage.FAILED: "failed", Stage.CANCELLED: "failed"}


@dataclass(frozen=True, slots=True)
class Provisioning:
    """One tenant's provisioning; `step` is the one it is at, None when all are done."""

    tenant_id: UUID
    slug: str
    stage: Stage
    done: int = 0
    job_id: UUID | None = None
    attempts: int = 0
    max_attempts: int = 0
    next_try_at: datetime | None = None
    since: datetime | None = None
    error: str | None = None
    cancelling: bool = False

    @property
    def step(self) -> str | None:
        """The name of the step it is at."""
        return STEPS[self.done] if self.done < len(STEPS) else None

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(STEPS)

    @property
    def marks(self) -> list[str]:
        """One mark per step, as `ui.steps` draws them."""
        done, rest = ["done"] * self.done, len(STEPS) - self.done
        return [*done, *([_MARKS.get(self.stage, "")] if rest else []), *[""] * (rest - 1)]


TENANTS = provisioning.TENANTS

FACTS = (
    tenant.c.id,
    tenant.c.slug,
    job.c.id.label("job_id"),
    job.c.status,
    job.c.attempts,
    job.c.max_attempts,
    job.c.available_at,
    job.c.steps_completed,
    job.c.error_summary,
    job.c.error_detail,
    job.c.created_at.label("asked_at"),
    job.c.locked_at,
    job.c.cancel_requested_at,
)
FAILED = has_status(Status.FAILED, Status.CANCELLED)
AGAIN = and_(has_status(Status.QUEUED), job.c.attempts > 0)
IN_FLIGHT = (
    select(*FACTS, func.count().over().label("tenants"))
    .select_from(TENANTS)
    .where(tenant.c.onboarding_status == "provisioning")
    .order_by(case((FAILED, 0), (AGAIN, 1), else_=2), job.c.created_at.desc().nulls_first(), tenant.c.id)
    .limit(SHOWN)
)
IN_FLIGHT_OF = IN_FLIGHT.where(tenant.c.id == bindparam("of_id", type_=Id))


def stage_of(row: Any) -> Stage:
    """The stage that a row with FACTS stands for; no job at all is `not started` (S1-88)."""
    if row.status is None:
        return Stage.NOT_STARTED
    if row.status == Status.QUEUED and row.attempts:
        return Stage.RETRYING
    return _STAGES[Status(row.status)]


def of(row: Any) -> Provisioning:
    """The provisioning of a row with FACTS."""
    stage = stage_of(row)
    if stage is Stage.NOT_STARTED:
        return Provisioning(row.id, row.slug, stage)
    return Provisioning(
        tenant_id=row.id,
        slug=row.slug,
        stage=stage,
        done=len([step for step in STEPS if step in row.steps_completed]),
        job_id=row.job_id,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        next_try_at=row.available_at if stage is Stage.RETRYING else None,
        since=row.locked_at or row.asked_at,
        error=row.error_summary or row.error_detail,
        cancelling=row.cancel_requested_at is not None,
    )


def in_flight(conn: Connection, *, tenant_id: UUID | None = None) -> tuple[list[Provisioning], int]:
    """Tenants that are being provisioned, the stopped first and twenty at most, and how many; or the one, if it is."""
    rows = (conn.execute(IN_FLIGHT_OF, {"of_id": tenant_id}) if tenant_id else conn.execute(IN_FLIGHT)).all()
    return [of(row) for row in rows], rows[0].tenants if rows else 0
