"""Workers: each process, what it runs now, how its last attempts ended."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from app.shapes import Following, Paged, Shape
from app.shapes.audit import Done


class WorkersWanted(Paged):
    """A page of the processes."""

    hours: Annotated[int, Field(ge=1, le=168, description="How far back attempts are counted.")] = 24


class AttemptCounts(Shape):
    """Attempts of one worker by how they ended."""

    completed: int
    failed: int
    dead_letter: int
    cancelled: int
    lease_expired: int
    superseded: int
    released: int
    abandoned: int


class Worker(Shape):
    """One process; `attempts` are those that ended since `counted_since`, the newest thousand at most."""

    instance_id: str
    component: str
    role: str | None
    label: str | None
    metadata: dict[str, Any] | None
    host: str | None
    pid: int | None
    version: str | None
    job_types: list[str]
    queues: list[str] | None
    concurrency: int
    state: str
    started_at: datetime
    last_heartbeat_at: datetime
    drain_requested_at: datetime | None
    stopped_at: datetime | None
    holds: int
    attempts: AttemptCounts
    counted_since: datetime
    last_finished_at: datetime | None


class WorkerPage(Shape):
    """All processes by state, and one page of them, the last to start first."""

    at: datetime
    live: int
    draining: int
    silent: int
    stopped: int
    claimed_by_silent_workers: int
    workers: list[Worker]
    next_cursor: str | None


class WorkerWanted(Following):
    """Where its attempts go on."""


class Held(Shape):
    """A job that a worker runs now."""

    id: UUID
    handler_key: str
    job_type: str
    queue: str
    tenant: str | None
    attempts: int
    max_attempts: int
    locked_at: datetime | None
    lease_expires_at: datetime | None
    cancel_requested_at: datetime | None
    progress: float | None


class EndedAttempt(Shape):
    """An attempt that a worker ended; what is said of its job is null once that is pruned."""

    job_id: UUID
    generation: int
    attempt: int
    handler_key: str | None
    queue: str | None
    event_id: str | None
    claimed_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: float | None
    outcome: str | None
    retry_at: datetime | None
    error: str | None


class Process(Shape):
    """One process: what it is, what it runs now, how its last attempts ended, what was done to it."""

    instance_id: str
    component: str
    role: str | None
    label: str | None
    host: str | None
    pid: int | None
    version: str | None
    job_types: list[str]
    queues: list[str] | None
    concurrency: int
    state: str
    started_at: datetime
    last_heartbeat_at: datetime
    heartbeat_interval_seconds: int
    clock_ahead_ms: int | None
    drain_requested_at: datetime | None
    stopped_at: datetime | None
    busy: int
    holds: list[Held]
    ended: list[EndedAttempt]
    next_cursor: str | None
    others: list[str]
    acts: list[Done]
