"""The jobs of one group of dead letters, and what they have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, func, select

from worker.database import Id
from worker.model import Status
from worker.queries.pages import keyset, sources
from worker.queries.pages.backlog import DEAD
from worker.queries.pages.filters import Filters
from worker.queries.pages.jobs import LINE, with_tenant
from worker.queries.pages.keyset import Page
from worker.queries.pages.names import worker_name
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant
from worker.queries.schema import worker_instances

SAMPLED = 500
"""The newest jobs of a group that are read for what they have in common."""

_its_worker = worker_instances.alias("its_worker")
_of_group = (DEAD, job.c.error_fingerprint == bindparam("of_group", type_=Text))
_own = (*_of_group, job.c.tenant_id == bindparam("of_tenant", type_=Id))
_newest_first = (job.c.finished_at.desc(), job.c.id.desc())


def _traits(*whose: ColumnElement[bool]) -> Select[Any]:
    kept = (job.c.tenant_id, job.c.queue, job.c.attempts, job.c.max_attempts, job.c.replays)
    rows = select(job.c.id, job.c.generation, *kept).where(*whose).order_by(*_newest_first).limit(SAMPLED)
    newest = rows.subquery("newest")
    traits = (
        tenant.c.slug,
        worker_name(attempt.c.worker_id).label("worker"),
        _its_worker.c.version,
        newest.c.queue,
        newest.c.attempts,
        newest.c.max_attempts,
        (newest.c.replays > 0).label("replayed"),
    )
    return (
        select(*traits, func.count().label("jobs"))
        .select_from(newest)
        .outerjoin(tenant, tenant.c.id == newest.c.tenant_id)
        .outerjoin(attempt, (attempt.c.job_id == newest.c.id) & (attempt.c.generation == newest.c.generation))
        .outerjoin(_its_worker, _its_worker.c.instance_id == attempt.c.worker_id)
        .group_by(*traits)
    )


TRAITS, OWN_TRAITS = _traits(*_of_group), _traits(*_own)
TRACE, OWN_TRACE = (
    select(job.c.error_detail).where(*whose).order_by(*_newest_first).limit(1) for whose in (_of_group, _own)
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What the newest dead letters of a group share: counted by tenant, last worker, its release, queue and budget."""

    tenants: Counter[str | None]
    workers: Counter[str | None]
    releases: Counter[str | None]
    queues: Counter[str]
    budgets: Counter[tuple[int, int]]
    replayed: int
    read: int


def traits(conn: Connection, *, fingerprint: str, tenant_id: UUID | None = None) -> Traits:
    """Counted over the newest five hundred; in a lens, of those of its tenant."""
    found = Traits(Counter(), Counter(), Counter(), Counter(), Counter(), 0, 0)
    replayed = read = 0
    values = {"of_group": fingerprint, "of_tenant": tenant_id}
    for row in conn.execute(OWN_TRAITS if tenant_id else TRAITS, values):
        found.tenants[row.slug] += row.jobs
        found.workers[row.worker] += row.jobs
        found.releases[row.version] += row.jobs
        found.queues[row.queue] += row.jobs
        found.budgets[row.attempts, row.max_attempts] += row.jobs
        replayed += row.jobs if row.replayed else 0
        read += row.jobs
    return replace(found, replayed=replayed, read=read)


def trace(conn: Connection, *, fingerprint: str, tenant_id: UUID | None = None) -> str | None:
    """The error of the newest in full."""
    values = {"of_group": fingerprint, "of_tenant": tenant_id}
    text: str | None = conn.execute(OWN_TRACE if tenant_id else TRACE, values).scalar()
    return text


def members(
    conn: Connection,
    *,
    fingerprint: str,
    tenant_id: UUID | None = None,
    before: str | None = None,
    after: str | None = None,
    now: datetime,
) -> Page:
    """One page of the group, the last to die first; of one tenant or of all."""
    at = keyset.place(sources.DIED_LAST, before=before, after=after)
    columns = (*LINE, job.c.idempotency_key, job.c.event_id, job.c.replays)
    wanted = Filters(status=Status.FAILED, group=fingerprint, tenant=str(tenant_id) if tenant_id else None)
    listing = sources.listing(wanted, columns, tenant_id=tenant_id, now=now)
    return keyset.read(conn, listing, at, dress=with_tenant, values={"at_now": now})
