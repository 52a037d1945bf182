"""Some jobs that an operator chose: which they are, and what they are, before he acts on all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, func, select

from worker.database import Row
from worker.model import Status
from worker.queries.bulk_acts import members
from worker.queries.pages import sources
from worker.queries.pages.filters import Filters
from worker.queries.pages.states import STATE, State
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

COUNTED = 10_000
"""Jobs that the page of a list counts; a form counts all that one act takes."""

_CAME: Mapping[str | None, Any] = {Status.FAILED: job.c.finished_at, Status.RUNNING: job.c.locked_at}
# A job that waits is written to whenever it begins to, and comes due without
_THERE_SINCE: Mapping[str | None, Sequence[Any]] = {
    Status.FAILED: (job.c.finished_at,),
    Status.RUNNING: (job.c.locked_at,),
    Status.QUEUED: (job.c.updated_at,),
    State.READY: (job.c.updated_at, job.c.available_at),
    State.SCHEDULED: (job.c.updated_at,),
    State.RETRYING: (job.c.updated_at,),
}
"""By when a job has to have been in its state, to have been shown with its like."""

_kind = (
    STATE.label("state"),
    job.c.job_type,
    job.c.handler_key,
    job.c.subscriber_id,
    job.c.queue,
    job.c.max_attempts,
    tenant.c.slug.label("tenant"),
)
_facts = (
    func.count().label("jobs"),
    func.min(job.c.created_at).label("since"),
    func.count().filter(job.c.replays > 0).label("replayed"),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The statement that finds the jobs, in the order in which they are acted on, and its values."""

    rows: Select[Any]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Selection:
    """Some jobs, told apart by state, handler, queue, budget and tenant."""

    parts: Sequence[Row]

    @property
    def jobs(self) -> int:
        """How many there are."""
        return sum(part.jobs for part in self.parts)

    @property
    def since(self) -> datetime | None:
        """When the oldest was put in."""
        return min((part.since for part in self.parts), default=None)

    @property
    def replayed(self) -> int:
        """How many were replayed before."""
        return sum(part.replayed for part in self.parts)

    def within(self, states: Collection[str]) -> Selection:
        """Those in one of the states."""
        return Selection([part for part in self.parts if part.state in states])

    def without(self, states: Collection[str]) -> Selection:
        """The others."""
        return Selection([part for part in self.parts if part.state not in states])

    def counts(self, column: str) -> dict[str, int]:
        """How many have each value of a column, the most frequent first; those that have none are left out."""
        found: dict[str, int] = {}
        for part in self.parts:
            value = getattr(part, column)
            if value is not None:
                found[value] = found.get(value, 0) + part.jobs
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def names(self, column: str) -> list[str]:
        """The values of a column, the most frequent first."""
        return list(self.counts(column))


def by_id(job_ids: Sequence[UUID], *, tenant_id: UUID | None = None) -> Chosen:
    """Jobs that were ticked one by one; of one tenant's alone, where there is one."""
    if tenant_id is None:
        return Chosen(members.BY_ID, {"of_ids": list(job_ids)})
    return Chosen(members.BY_ID_OF_TENANT, {"of_ids": list(job_ids), "of_tenant": tenant_id})


def matching(
    filters: Filters,
    *,
    tenant_id: UUID | None,
    before: datetime,
    since: datetime | None = None,
    beside: UUID | None = None,
    limit: int,
    now: datetime,
) -> Chosen:
    """The jobs that pass the filters and were there when the page was drawn: a set fixed by what was shown (A-53).

    With `since`, only those that came after it; with `beside`, none that is of this act.
    """
    order = sources.order(filters)
    by = [column.desc() if order.descending else column.asc() for column in order.key]
    rows = _matching(
        filters, tenant_id=tenant_id, before=before, since=since, beside=beside, now=now
    ).with_only_columns(*members.CHOSEN)
    return Chosen(rows.order_by(*by).limit(limit), {"at_now": now})


def read(conn: Connection, chosen: Chosen, *, now: datetime) -> Selection:
    """What those of the chosen that exist are."""
    found = chosen.rows.subquery("chosen")
    rows = found.join(job, job.c.id == found.c.id).outerjoin(tenant, tenant.c.id == job.c.tenant_id)
    parts = select(*_kind, *_facts).select_from(rows).group_by(*_kind)
    return Selection(
        conn.execute(parts.order_by(func.count().desc(), job.c.handler_key), {**chosen.values, "at_now": now}).all()
    )


def count(
    conn: Connection,
    filters: Filters,
    *,
    tenant_id: UUID | None,
    before: datetime,
    limit: int = COUNTED,
    since: datetime | None = None,
    beside: UUID | None = None,
    now: datetime,
) -> int:
    """How many match; counting ends at the limit. With `since` and `beside` as above."""
    rows = _matching(filters, tenant_id=tenant_id, before=before, since=since, beside=beside, now=now)
    found = rows.limit(limit).subquery()
    return int(conn.execute(select(func.count()).select_from(found), {"at_now": now}).scalar_one())


def _matching(
    filters: Filters,
    *,
    tenant_id: UUID | None,
    before: datetime,
    since: datetime | None,
    beside: UUID | None,
    now: datetime,
) -> Select[Any]:
    listing = sources.listing(filters, (job.c.id,), tenant_id=tenant_id, now=now)
    there = [column <= before for column in _THERE_SINCE.get(filters.status, (job.c.created_at,))]
    rows = select(job.c.id).where(*listing.where, *listing.search, *there)
    if beside is not None:
        ours = select(member.c.job_id).where(member.c.act_id == beside, member.c.job_id == job.c.id)
        rows = rows.where(~ours.exists())
    return rows if since is None else rows.where(_CAME.get(filters.status, job.c.created_at) > since)
