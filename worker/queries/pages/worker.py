"""One worker process: what it is, what it runs now, and the other processes of its component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, func, select

from worker.database import Row, moment
from worker.queries.pages import fleet
from worker.queries.pages.backlog import RUNNING
from worker.queries.pages.fleet import State
from worker.queries.pages.pulses import pulse
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant
from worker.queries.schema import worker_instances as instance

BEATS = 40
HELD, OTHERS = 50, 12
RECENT = 1_000
"""The processes that started last, among which the others of a component are looked for."""

ONE = select(instance, moment().label("now")).where(instance.c.instance_id == bindparam("of_instance", type_=Text))
HOLDS = (
    select(
        job.c.id,
        job.c.handler_key,
        job.c.job_type,
        job.c.queue,
        job.c.attempts,
        job.c.max_attempts,
        job.c.locked_at,
        job.c.lease_expires_at,
        job.c.cancel_requested_at,
        job.c.progress,
        tenant.c.slug.label("tenant"),
    )
    .select_from(job.outerjoin(tenant, tenant.c.id == job.c.tenant_id))
    .where(RUNNING, job.c.locked_by == bindparam("of_instance", type_=Text))
    .order_by(job.c.locked_at, job.c.id)
    .limit(HELD + 1)
)
HOLDS_OF_TENANT = HOLDS.where(fleet.OF_TENANT)
HELD_JOBS = (
    select(func.count()).select_from(job).where(RUNNING, job.c.locked_by == bindparam("of_instance", type_=Text))
)
_recent = select(instance).order_by(instance.c.started_at.desc(), instance.c.instance_id.desc()).limit(RECENT)
_others = _recent.subquery("recent")
SAME_COMPONENT = (
    select(_others)
    .where(_others.c.component == bindparam("of_component", type_=Text))
    .where(_others.c.instance_id != bindparam("of_instance", type_=Text))
    .order_by(_others.c.stopped_at.is_not(None), _others.c.started_at.desc(), _others.c.instance_id.desc())
    .limit(OTHERS)
)


@dataclass(frozen=True, slots=True)
class Process:
    """A worker process as its page tells of it; `holds` are the longest running, fifty at most of `busy`."""

    row: Row
    state: State
    pulse: str
    holds: Sequence[Row]
    busy: int

    @property
    def name(self) -> str:
        """What its people call it."""
        return str(self.row.label or self.row.component)

    @property
    def is_gone(self) -> bool:
        """Whether it will not come back: it said so, or was silent for long."""
        silent = self.row.now - self.row.last_heartbeat_at
        return self.state is State.STOPPED or (self.state is State.SILENT and silent >= fleet.GONE_AFTER)

    @property
    def ended_at(self) -> datetime | None:
        """When it stopped, as it said itself, or was last heard of."""
        return self.row.stopped_at or (self.row.last_heartbeat_at if self.state is State.SILENT else None)

    @property
    def lived(self) -> timedelta:
        """How long it has been there."""
        lived: timedelta = (self.ended_at or self.row.now) - self.row.started_at
        return lived


def read(
    conn: Connection, *, instance_id: str, tenant_id: UUID | None = None, now: datetime | None = None
) -> Process | None:
    """The process, whether it lives or not, with what it holds, or holds of a tenant; None when it is not known."""
    row = conn.execute(ONE, {"of_instance": instance_id, "at_now": now}).first()
    if row is None:
        return None
    mine: dict[str, Any] = {"of_instance": instance_id}
    theirs = {**mine, "of_tenant": tenant_id}
    holds = (conn.execute(HOLDS_OF_TENANT, theirs) if tenant_id else conn.execute(HOLDS, mine)).all()
    are_some = tenant_id is not None or len(holds) > HELD
    busy = int(conn.execute(HELD_JOBS, mine).scalar_one()) if are_some else len(holds)
    marks = pulse(row.recent_beats, row.heartbeat_interval_seconds, until=row.stopped_at or row.now, length=BEATS)
    return Process(row, fleet.state_of(row, row.now), marks, holds[:HELD], busy)


def others(conn: Connection, process: Process) -> list[tuple[Row, State]]:
    """The other processes of its component, those that have not stopped first, then the last to start."""
    values: dict[str, Any] = {"of_component": process.row.component, "of_instance": process.row.instance_id}
    return [(row, fleet.state_of(row, process.row.now)) for row in conn.execute(SAME_COMPONENT, values)]
