"""The jobs of one group of dead letters, and what they have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, Text, bindparam, func, select

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
_newest_first = (job.c.finished_at.desc(), job.c.id.desc())
_newest = (
    select(job.c.id, job.c.generation, job.c.tenant_id, job.c.queue, job.c.attempts, job.c.max_attempts, job.c.replays)
    .where(*_of_group)
    .order_by(*_newest_first)
    .limit(SAMPLED)
    .subquery("newest")
)
_traits = (
    tenant.c.slug,
    worker_name(attempt.c.worker_id).label("worker"),
    _its_worker.c.version,
    _newest.c.queue,
    _newest.c.attempts,
    _newest.c.max_attempts,
    (_newest.c.replays > 0).label("replayed"),
)
TRAITS = (
    select(*_traits, func.count().label("jobs"))
    .select_from(_newest)
    .outerjoin(tenant, tenant.c.id == _newest.c.tenant_id)
    .outerjoin(attempt, (attempt.c.job_id == _newest.c.id) & (attempt.c.generation == _newest.c.generation))
    .outerjoin(_its_worker, _its_worker.c.instance_id == attempt.c.worker_id)
    .group_by(*_traits)
)
TRACE = select(job.c.error_detail).where(*_of_group).order_by(*_newest_first).limit(1)


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


def traits(conn: Connection, *, fingerprint: str) -> Traits:
    """Counted over the newest five hundred."""
    found = Traits(Counter(), Counter(), Counter(), Counter(), Counter(), 0, 0)
    replayed = read = 0
    for row in conn.execute(TRAITS, {"of_group": fingerprint}):
        found.tenants[row.slug] += row.jobs
        found.workers[row.worker] += row.jobs
        found.releases[row.version] += row.jobs
        found.queues[row.queue] += row.jobs
        found.budgets[row.attempts, row.max_attempts] += row.jobs
        replayed += row.jobs if row.replayed else 0
        read += row.jobs
    return replace(found, replayed=replayed, read=read)


def trace(conn: Connection, *, fingerprint: str) -> str | None:
    """The error of the newest in full."""
    text: str | None = conn.execute(TRACE, {"of_group": fingerprint}).scalar()
    return text


def members(
    conn: Connection, *, fingerprint: str, before: str | None = None, after: str | None = None, now: datetime
) -> Page:
    """One page of the group, the last to die first."""
    at = keyset.place(sources.DIED_LAST, before=before, after=after)
    columns = (*LINE, job.c.idempotency_key, job.c.event_id, job.c.replays)
    listing = sources.listing(Filters(status=Status.FAILED, group=fingerprint), columns, tenant_id=None, now=now)
    return keyset.read(conn, listing, at, dress=with_tenant, values={"at_now": now})
