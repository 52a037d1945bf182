"""Rows as a test needs them, written straight into the tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Text, cast, insert, literal, select, update

from worker.job_types import JobTypes
from worker.model import Job, Status, new_id
from worker.queries import schema

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
"""The time at which the tests' clock stands, unless one says otherwise."""


def job_types(*names: str) -> JobTypes:
    """A registry that knows these types beside the built-in ones, each with a handler that does nothing."""
    known = JobTypes()
    for name in names:
        known.register(name, lambda job: None)
    return known


def job(conn: Connection, *, status: Status = Status.QUEUED, **columns: Any) -> UUID:
    """A job in that state, with the lock or the end that the state asks for."""
    row: dict[str, Any] = {
        "id": new_id(),
        "job_type": "render_report",
        "status": status,
        "created_at": NOON - timedelta(minutes=10),
        "updated_at": NOON - timedelta(minutes=10),
        "available_at": NOON - timedelta(minutes=10),
    }
    if status == Status.RUNNING:
        row |= {"locked_by": "worker-1", "locked_at": NOON, "lease_expires_at": NOON + timedelta(minutes=5)}
        row |= {"attempts": 1, "generation": 1}
    elif status != Status.QUEUED:
        row["finished_at"] = NOON
    if status == Status.FAILED:
        row |= {"attempts": 5, "generation": 5, "error_type": "ValueError", "error_summary": "no such template"}
        row |= {"error_detail": "ValueError: no such template", "error_fingerprint": "f" * 16}
    row |= columns
    conn.execute(insert(schema.platform_jobs), row)
    return UUID(str(row["id"]))


def stored(conn: Connection, job_id: UUID) -> Any:
    """The job's row as it is now."""
    return conn.execute(select(schema.platform_jobs).where(schema.platform_jobs.c.id == job_id)).one()


def unreadable(conn: Connection, **columns: Any) -> UUID:
    """A job whose payload the database takes and Python cannot parse: it is nested too deep (A-35)."""
    deep = literal("[" * 1200 + "]" * 1200, Text)
    payload = schema.platform_jobs.c.payload
    job_id = job(conn, **columns)
    conn.execute(
        update(schema.platform_jobs).where(schema.platform_jobs.c.id == job_id).values(payload=cast(deep, payload.type))
    )
    return job_id


def attempts(conn: Connection, job_id: UUID) -> list[Any]:
    """The job's attempts, first to last."""
    table = schema.job_attempts
    return list(conn.execute(select(table).where(table.c.job_id == job_id).order_by(table.c.generation)))


def attempt(conn: Connection, job_id: UUID, number: int, **columns: Any) -> None:
    """An attempt that ended: the first at noon, each a minute after the one before, after ten seconds."""
    began = NOON + timedelta(minutes=number - 1)
    row: dict[str, Any] = {"job_id": job_id, "generation": number, "attempt": number, "worker_id": "worker-1"}
    row |= {"claimed_at": began, "started_at": began, "finished_at": began + timedelta(seconds=10), "outcome": "failed"}
    conn.execute(insert(schema.job_attempts), row | columns)


def job_step(conn: Connection, job_id: UUID, ordinal: int, step: str, **columns: Any) -> None:
    """A step that was done in the job's first claim, in a second from noon on."""
    row: dict[str, Any] = {"job_id": job_id, "generation": 1, "ordinal": ordinal, "step": step, "outcome": "done"}
    row |= {"started_at": NOON, "finished_at": NOON + timedelta(seconds=1)}
    conn.execute(insert(schema.job_steps), row | columns)


def claimed(conn: Connection, job_id: UUID) -> Job:
    """The claim that a running row stands for."""
    row = stored(conn, job_id)
    fields = ("id", "job_type", "queue", "attempts", "max_attempts", "generation", "locked_at", "created_at")
    more = ("available_at", "tenant_id", "event_id", "event_type", "subscriber_id")
    return Job(payload_text="{}", **{name: getattr(row, name) for name in (*fields, *more)})


def tenant(conn: Connection, slug: str = "acme", **columns: Any) -> UUID:
    """A tenant."""
    row = {
        "id": new_id(),
        "slug": slug,
        "display_name": slug.title(),
        "schema_name": f"tenant_{slug.replace('-', '_')}",
    }
    row |= {"created_at": NOON - timedelta(days=30)} | columns
    conn.execute(insert(schema.tenants), row)
    return UUID(str(row["id"]))


def worker_instance(conn: Connection, instance_id: str = "worker-1", **columns: Any) -> str:
    """A worker that beat a moment ago."""
    row: dict[str, Any] = {
        "instance_id": instance_id,
        "component": "worker",
        "job_types": ["render_report", "run_subscriber"],
        "queues": None,
        "concurrency": 8,
        "metadata": None,
        "host": "ops-1",
        "pid": 4711,
        "version": "0.1.0",
        "started_at": NOON - timedelta(hours=1),
        "last_heartbeat_at": NOON - timedelta(seconds=3),
        "recent_beats": [int((NOON - timedelta(seconds=3 + 10 * beat)).timestamp()) for beat in range(39, -1, -1)],
    }
    conn.execute(insert(schema.worker_instances), row | columns)
    return instance_id


def operator(conn: Connection, name: str = "dana", role: str = "operator", **columns: Any) -> UUID:
    """An operator's account, without a password."""
    row = {"id": new_id(), "name": name, "role": role, "created_at": NOON - timedelta(days=9)} | columns
    conn.execute(insert(schema.operators), row)
    return UUID(str(row["id"]))
