"""What some jobs are, before an operator acts on all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, func, select

from worker.database import Row, among
from worker.queries.pages import sources
from worker.queries.pages.backlog import DEAD
from worker.queries.pages.filters import Filters
from worker.queries.pages.states import STATE
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

COUNTED = 10_000

_kind = (
    STATE.label("state"),
    job.c.job_type,
    job.c.handler_key,
    job.c.subscriber_id,
    job.c.queue,
    job.c.max_attempts,
    tenant.c.slug.label("tenant"),
)
PARTS = (
    select(*_kind, func.count().label("jobs"))
    .select_from(job.outerjoin(tenant, tenant.c.id == job.c.tenant_id))
    .where(among(job.c.id, "of_ids"))
    .group_by(*_kind)
    .order_by(func.count().desc(), job.c.handler_key)
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Some jobs, told apart by state, handler, queue, budget and tenant."""

    parts: Sequence[Row]

    @property
    def jobs(self) -> int:
        """How many there are."""
        return sum(part.jobs for part in self.parts)

    def within(self, states: Collection[str]) -> Selection:
        """Those in one of the states."""
        return Selection([part for part in self.parts if part.state in states])

    def names(self, column: str) -> list[str]:
        """The values of a column, the most frequent first; none for none."""
        found: dict[str, int] = {}
        for part in self.parts:
            value = getattr(part, column)
            if value is not None:
                found[value] = found.get(value, 0) + part.jobs
        return sorted(found, key=lambda value: (-found[value], value))


def read(conn: Connection, *, job_ids: Sequence[UUID], now: datetime | None = None) -> Selection:
    """What those of the ids that exist are."""
    return Selection(conn.execute(PARTS, {"of_ids": list(job_ids), "at_now": now}).all())


def matching(
    conn: Connection, filters: Filters, *, tenant_id: UUID | None, died_before: datetime, limit: int, now: datetime
) -> list[UUID]:
    """The dead letters that pass the filters and had died by a time: a set fixed by what was shown (A-53)."""
    rows = _matching(filters, tenant_id, died_before, now).order_by(job.c.finished_at.desc(), job.c.id.desc())
    return list(conn.execute(rows.limit(limit)).scalars())


def count(conn: Connection, filters: Filters, *, tenant_id: UUID | None, died_before: datetime, now: datetime) -> int:
    """How many they are; counting ends at COUNTED."""
    rows = _matching(filters, tenant_id, died_before, now).limit(COUNTED).subquery()
    return int(conn.execute(select(func.count()).select_from(rows)).scalar_one())


def _matching(filters: Filters, tenant_id: UUID | None, died_before: datetime, now: datetime) -> Select[Any]:
    listing = sources.listing(filters, (job.c.id,), tenant_id=tenant_id, now=now)
    return select(job.c.id).where(DEAD, *listing.where, *listing.search, job.c.finished_at <= died_before)
