"""The worker processes: who lives, who fell silent, what each can run and what it holds now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, any_, bindparam, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by

from worker.database import Names
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
        func.array_agg(aggregate_order_by(job.c.id, job.c.locked_at))[1].label("oldest_id"),
        func.sum(job.c.progress).label("progress"),
    )
    .where(RUNNING)
    .group_by(*_held)
    .order_by(*_held)
)
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
    )
    .where(instance.c.stopped_at.is_(None))
    .order_by(instance.c.last_heartbeat_at.desc())
    .limit(SEEN)
)
RELEASES = (
    select(instance.c.version, func.min(instance.c.started_at).label("started_at"))
    .where(instance.c.version.is_not(None))
    .group_by(instance.c.version)
    .order_by(func.min(instance.c.started_at).desc())
    .limit(10)
)
_wanted = func.unnest(bindparam("job_types", type_=Names)).table_valued("job_type", name="wanted").render_derived()
_able = (
    select(instance.c.instance_id, instance.c.component, instance.c.label, instance.c.last_heartbeat_at)
    .add_columns(instance.c.stopped_at)
    .where(_wanted.c.job_type == any_(instance.c.job_types))
    .order_by(instance.c.last_heartbeat_at.desc())
    .limit(1)
    .lateral("able")
)
LAST_ABLE = select(_wanted.c.job_type, _able).select_from(_wanted.join(_able, true()))


class State(StrEnum):
    """What a worker process is to the operator."""

    LIVE = "live"
    SILENT = "silent"
    DRAINING = "draining"
    STOPPED = "stopped"


def state_of(row: Any, now: datetime) -> State:
    """Stopped says so itself; silent is three intervals without a beat (S2-155)."""
    if row.stopped_at is not None:
        return State.STOPPED
    if now - row.last_heartbeat_at > timedelta(seconds=MISSED_BEATS * row.heartbeat_interval_seconds):
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


def held(conn: Connection) -> list[Row[Any]]:
    """The running jobs by holder, queue and handler."""
    return list(conn.execute(HELD))


def read(conn: Connection, *, held: Iterable[Row[Any]], now: datetime) -> tuple[Worker, ...]:
    """The processes that have not stopped, by name; at most a thousand, those heard of last."""
    by_holder: dict[str | None, list[Row[Any]]] = {}
    for row in held:
        by_holder.setdefault(row.locked_by, []).append(row)
    found = (_worker(row, by_holder.get(row.instance_id, []), now) for row in conn.execute(PRESENT))
    return tuple(sorted(found, key=lambda each: (each.component, each.started_at, each.instance_id)))


def last_able(conn: Connection, *, job_types: Sequence[str]) -> dict[str, Any]:
    """For each job type the worker that advertised it last, dead or alive."""
    return {row.job_type: row for row in conn.execute(LAST_ABLE, {"job_types": list(job_types)})}


def _worker(row: Any, held: list[Row[Any]], now: datetime) -> Worker:
    return Worker(
        instance_id=row.instance_id,
        name=row.label or row.component,
        component=row.component,
        host=row.host,
        version=row.version,
        state=state_of(row, now),
        job_types=frozenset(row.job_types),
        queues=None if row.queues is None else frozenset(row.queues),
        concurrency=row.concurrency,
        interval=row.heartbeat_interval_seconds,
        started_at=row.started_at,
        heartbeat_at=row.last_heartbeat_at,
        held=tuple(held),
    )
