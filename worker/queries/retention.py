"""Delete what is old, in bounded batches. Dead letters and direct jobs are never pruned (S2-25, `unified.md` 3.3)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Delete, Table, bindparam, delete, func, literal, select

from worker.database import among, moment, one_of, seconds
from worker.model import Status
from worker.queries.schema import (
    bulk_acts,
    event_outbox,
    has_status,
    job_attempts,
    platform_jobs,
    sleepers,
    statistics_minutes,
    tenant_statistics_minutes,
    worker_instances,
)

_DAY = 86_400
_before = moment() - seconds(bindparam("older_than"))

OLD_EVENTS = (
    select(event_outbox.c.id)
    .where(event_outbox.c.relayed_at < _before)
    .order_by(event_outbox.c.relayed_at)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
DELETE_EVENTS = delete(event_outbox).where(among(event_outbox.c.id, "of_ids"))
# Only once its outbox row is gone: the job row is what keeps a second fan-out from running it again
OLD_JOBS = (
    select(platform_jobs.c.id)
    .where(
        has_status(Status.SUCCEEDED, Status.CANCELLED),
        platform_jobs.c.event_id.is_not(None),
        platform_jobs.c.finished_at < _before,
        ~select(event_outbox.c.id).where(event_outbox.c.event_id == platform_jobs.c.event_id).exists(),
    )
    .order_by(platform_jobs.c.finished_at)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True, of=platform_jobs)
)
DELETE_JOBS = delete(platform_jobs).where(among(platform_jobs.c.id, "of_ids"))
DELETE_ATTEMPTS = delete(job_attempts).where(among(job_attempts.c.job_id, "of_ids"))
_gone = func.coalesce(worker_instances.c.stopped_at, worker_instances.c.last_heartbeat_at) < _before
_some_gone = select(worker_instances.c.instance_id).where(_gone).limit(bindparam("at_most"))
GONE_WORKERS = delete(worker_instances).where(one_of(worker_instances.c.instance_id, _some_gone))

_over = (bulk_acts.c.next_at.is_(None), bulk_acts.c.chosen_at < _before)
_some_acts = select(bulk_acts.c.id).where(*_over).order_by(bulk_acts.c.chosen_at).limit(bindparam("acts_at_most"))
OLD_ACTS = delete(bulk_acts).where(one_of(bulk_acts.c.id, _some_acts))
ACTS_AT_ONCE = 5
"""Each takes its jobs along, which may be many."""

# What the console's people leave is cleared away as they come, by its own role: no worker may touch it
OLD_SLEEPERS = delete(sleepers).where(sleepers.c.since < _before)
_STATISTICS_DAYS, _TENANT_STATISTICS_DAYS = 90, 8


def _old_minutes(table: Table, *, at_once_seconds: int) -> Delete:
    first = select(func.min(table.c.minute)).scalar_subquery()
    return delete(table).where(table.c.minute < _before, table.c.minute < first + seconds(literal(at_once_seconds)))


# A day at a time: its minutes are bounded by the names of handlers, queues and outcomes
OLD_STATISTICS = _old_minutes(statistics_minutes, at_once_seconds=_DAY)
# By their tenants, too, of whom there may be many, each with rows of its own in every minute
OLD_TENANT_STATISTICS = _old_minutes(tenant_statistics_minutes, at_once_seconds=300)


def prune(conn: Connection, *, retention_days: int, limit: int = 1000, now: datetime | None = None) -> dict[str, int]:
    """One bounded batch of each kind; how many rows of each went. `retention_days` 0 keeps events and their jobs."""
    old = {"older_than": retention_days * _DAY, "at_most": limit, "at_now": now}
    pruned = {"events": 0, "jobs": 0, "workers": 0, "acts": 0}
    if retention_days:
        ids = list(conn.execute(OLD_EVENTS, old).scalars())
        pruned["events"] = conn.execute(DELETE_EVENTS, {"of_ids": ids}).rowcount
        ids = list(conn.execute(OLD_JOBS, old).scalars())
        conn.execute(DELETE_ATTEMPTS, {"of_ids": ids})
        pruned["jobs"] = conn.execute(DELETE_JOBS, {"of_ids": ids}).rowcount
        pruned["workers"] = conn.execute(GONE_WORKERS, old).rowcount
        pruned["acts"] = conn.execute(OLD_ACTS, {**old, "acts_at_most": ACTS_AT_ONCE}).rowcount
    kept = {OLD_STATISTICS: _STATISTICS_DAYS, OLD_TENANT_STATISTICS: _TENANT_STATISTICS_DAYS}
    pruned["statistics"] = sum(
        conn.execute(old_minutes, {"older_than": days * _DAY, "at_now": now}).rowcount
        for old_minutes, days in kept.items()
    )
    pruned["sleepers"] = conn.execute(OLD_SLEEPERS, {"older_than": _DAY, "at_now": now}).rowcount
    return pruned
