"""Who works: one row per running process, one per component, both written by the heartbeat (S1-90 to S1-92)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, literal, update

from worker.database import (
    Json,
    Names,
    Timestamp,
    ahead_ms,
    append_recent,
    epoch_of,
    greatest,
    insert,
    least,
    moment,
)
from worker.queries.audit import Actor, record
from worker.queries.schema import runtime_heartbeats, worker_instances

_epoch = epoch_of(moment())
_A_DAY_MS = 86_400_000  # more is no more wrong, and would not fit
_ahead = ahead_ms(bindparam("by_own_clock", type_=Timestamp), moment())
_clock_ahead_ms = greatest(least(_ahead, literal(_A_DAY_MS)), literal(-_A_DAY_MS))
_INSTANCE = insert(worker_instances).values(
    instance_id=bindparam("of_instance"),
    component=bindparam("of_component"),
    role=bindparam("with_role"),
    label=bindparam("with_label"),
    job_types=bindparam("runs_types", type_=Names),
    queues=bindparam("serves_queues", type_=Names),
    concurrency=bindparam("slots"),
    metadata=bindparam("about", type_=Json),
    host=bindparam("on_host"),
    pid=bindparam("as_pid"),
    version=bindparam("of_version"),
    started_at=moment(),
    last_heartbeat_at=moment(),
    recent_beats=append_recent(None, _epoch),
    clock_ahead_ms=_clock_ahead_ms,
    heartbeat_interval_seconds=bindparam("every_seconds"),
)
BEAT = _INSTANCE.on_conflict_do_update(
    index_elements=["instance_id"],
    set_={
        "last_heartbeat_at": moment(),
        "recent_beats": append_recent(worker_instances.c.recent_beats, _epoch),
        "clock_ahead_ms": _clock_ahead_ms,
        "stopped_at": None,
    },
).returning(worker_instances.c.drain_requested_at)
_COMPONENT = insert(runtime_heartbeats).values(
    component=bindparam("of_component"),
    instance_id=bindparam("of_instance"),
    heartbeat_at=moment(),
    detail=bindparam("with_detail", type_=Json),
)
COMPONENT_BEAT = _COMPONENT.on_conflict_do_update(
    index_elements=["component"],
    set_={name: _COMPONENT.excluded[name] for name in ("instance_id", "heartbeat_at", "detail")},
)
STOPPED = (
    update(worker_instances)
    .where(worker_instances.c.instance_id == bindparam("of_instance"))
    .values(stopped_at=moment(), last_heartbeat_at=moment())
)
REQUEST_DRAIN = (
    update(worker_instances)
    .where(
        worker_instances.c.instance_id == bindparam("of_instance"),
        worker_instances.c.stopped_at.is_(None),
        worker_instances.c.drain_requested_at.is_(None),
    )
    .values(drain_requested_at=moment())
    .returning(worker_instances.c.component)
)


@dataclass(frozen=True, slots=True)
class Instance:
    """One running worker process; the id is made anew at every start and holds the leases (A-04)."""

    instance_id: str
    component: str
    job_types: tuple[str, ...]
    queues: tuple[str, ...] | None
    concurrency: int
    heartbeat_interval_seconds: float
    role: str | None = None
    label: str | None = None
    metadata: Mapping[str, Any] | None = None
    host: str | None = None
    pid: int | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """What the beat brought back."""

    drain_requested: bool


def beat(conn: Connection, *, instance: Instance, now: datetime | None = None) -> Beat:
    """Say that this process lives and what it can run; a row that was deleted comes back."""
    values = {
        "of_instance": instance.instance_id,
        "of_component": instance.component,
        "with_role": instance.role,
        "with_label": instance.label,
        "runs_types": sorted(instance.job_types),
        "serves_queues": None if instance.queues is None else sorted(instance.queues),
        "slots": instance.concurrency,
        "about": instance.metadata and dict(instance.metadata),
        "on_host": instance.host,
        "as_pid": instance.pid,
        "of_version": instance.version,
        "every_seconds": max(1, round(instance.heartbeat_interval_seconds)),
        "with_detail": {"job_types": sorted(instance.job_types)},
        "by_own_clock": now or datetime.now(UTC),
        "at_now": now,
    }
    drain_requested_at = conn.execute(BEAT, values).scalar_one()
    conn.execute(COMPONENT_BEAT, values)
    return Beat(drain_requested=drain_requested_at is not None)


def stopped(conn: Connection, *, instance_id: str, now: datetime | None = None) -> None:
    """Say that this process ended by itself, with no lease left."""
    conn.execute(STOPPED, {"of_instance": instance_id, "at_now": now})


def request_drain(
    conn: Connection, *, instance_id: str, actor: Actor, reason: str | None = None, now: datetime | None = None
) -> bool:
    """Ask a worker to finish what it has and take nothing more; False when it is gone or asked already."""
    component = conn.execute(REQUEST_DRAIN, {"of_instance": instance_id, "at_now": now}).scalar()
    if component is None:
        return False
    detail = {"component": component}
    record(conn, actor=actor, action="drain", target=instance_id, reason=reason, detail=detail, now=now)
    return True
