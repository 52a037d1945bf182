"""The worker processes: who lives, who fell silent, what each can run and what it holds now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Text, bindparam, func, null, select

from worker.database import Id, earliest, for_each, holds, records
from worker.queries.pages.backlog import RUNNING
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import worker_instances as instance

MISSED_BEATS = 3
SEEN = 1000
GONE_AFTER = timedelta(hours=1)
"""Silence after which a worker is folded away with those that stopped."""

_held = (job.c.locked_by, job.c.queue, job.c.job_type, job.c.handler_key)
HELD = (
    select(
        *_held,
        func.count().label("jobs"),
        func.min(job.c.locked_at).label("since"),
        func.min(job.c.lease_expires_at).label("lease_until"),
        earliest(job.c.id, job.c.locked_at).label("oldest_id"),
        func.sum(job.c.progress).label("progress"),
    )
    .where(RUNNING)
    .group_by(*_held)
    .order_by(*_held)
)
# Those that run are few; the index of the tenant's whole history, which a file would take, is kept out of it
OF_TENANT = func.coalesce(job.c.tenant_id, null()) == bindparam("of_tenant", type_=Id)
HELD_OF = HELD.where(OF_TENANT)
PRESENT = (
    select(
        instance.c.instance_id,
        instance.c.component,
        instance.c.label,
        instance.c.host,
        instance.c.version,
        instance.c.job_types,
        instance.c.queues,
        instance.c.concurrency,
        instance.c.heartbeat_interval_seconds,
        instance.c.started_at,
        instance.c.last_heartbeat_at,
        instance.c.drain_requested_at,
        instance.c.stopped_at,
        instance.c.clock_ahead_ms,
    )
    .where(instance.c.stopped_at.is_(None))
    .order_by(instance.c.last_heartbeat_at.desc())
    .limit(SEEN)
)
_wanted = records("wanted", job_type=Text())
_able = (
    select(_wanted.c.job_type, instance.c.instance_id, instance.c.component, instance.c.label)
    .add_columns(instance.c.last_heartbeat_at, instance.c.stopped_at)
    .where(holds(instance.c.job_types, _wanted.c.job_type))
    .order_by(instance.c.last_heartbeat_at.desc())
    .limit(1)
)
LAST_ABLE = for_each(_wanted, _able, key=instance.c.instance_id)


class State(StrEnum):
    """What a worker process is to the operator."""

    LIVE = "live"
    SILENT = "silent"
    DRAINING = "draining"
    STOPPED = "stopped"


def state_of(row: Any, now: datetime, *, stale_after_seconds: float | None = None) -> State:
    """Stopped says so itself; silent is three intervals without a beat (S2-155), or as long as the caller says."""
    if row.stopped_at is not None:
        return State.STOPPED
    patience = stale_after_seconds or MISSED_BEATS * row.heartbeat_interval_seconds
    if now - row.last_heartbeat_at > timedelta(seconds=patience):
        return State.SILENT
    return State.LIVE if row.drain_requested_at is None else State.DRAINING


@dataclass(frozen=True, slots=True)
class Worker:
    """One process that has not said goodbye, as it was when sampled."""

    instance_id: str
    name: str
    component: str
    host: str | None
    version: str | None
    state: State
    job_types: frozenset[str]
    queues: frozenset[str] | None
    concurrency: int
    interval: int
    started_at: datetime
    heartbeat_at: datetime
    held: tuple[Row[Any], ...]
    clock_ahead_ms: int | None = None

    @property
    def busy(self) -> int:
        """How many jobs it holds."""
        return sum(row.jobs for row in self.held)

    @property
    def lease_until(self) -> datetime | None:
        """When the first of its leases ends unless it beats again."""
        return min((row.lease_until for row in self.held if row.lease_until), default=None)

    def can_run(self, job_type: str, queue: str) -> bool:
        """Whether its selectors cover such a job, dead or alive."""
        return job_type in self.job_types and (self.queues is None or queue in self.queues)

    def takes(self, job_type: str, queue: str) -> bool:
        """Whether it would claim such a job now."""
        return self.state is State.LIVE and self.can_run(job_type, queue)


def held(conn: Connection, *, tenant_id: UUID | None = None) -> list[Row[Any]]:
    """The running jobs by holder, queue and handler; all of them, or those of a tenant."""
    return list(conn.execute(HELD) if tenant_id is None else conn.execute(HELD_OF, {"of_tenant": tenant_id}))


def read(
    conn: Connection, *, held: Iterable[Row[Any]], now: datetime, stale_after_seconds: float | None = None
) -> tuple[Worker, ...]:
    """The processes that have not stopped, by name; at most a thousand, those heard of last."""
    by_holder: dict[str | None, list[Row[Any]]] = {}
    for row in held:
        by_holder.setdefault(row.locked_by, []).append(row)
    found = (
        _worker(row, by_holder.get(row.instance_id, []), state_of(row, now, stale_after_seconds=stale_after_seconds))
        for row in conn.execute(PRESENT)
    )
    return tuple(sorted(found, key=lambda each: (each.component, each.started_at, each.instance_id)))


def last_able(conn: Connection, *, job_types: Sequence[str]) -> dict[str, Any]:
    """For each job type the worker that advertised it last, dead or alive."""
    wanted = json.dumps([{"job_type": name} for name in job_types])
    return {row.job_type: row for row in conn.execute(LAST_ABLE, {"wanted": wanted})}


def _worker(row: Any, held: list[Row[Any]], state: State) -> Worker:
    return Worker(
        instance_id=row.instance_id,
        name=row.label or row.component,
        component=row.component,
        host=row.host,
        version=row.version,
        state=state,
        job_types=frozenset(row.job_types),
        queues=None if row.queues is None else frozenset(row.queues),
        concurrency=row.concurrency,
        interval=row.heartbeat_interval_seconds,
        started_at=row.started_at,
        heartbeat_at=row.last_heartbeat_at,
        held=tuple(held),
        clock_ahead_ms=row.clock_ahead_ms,
    )
