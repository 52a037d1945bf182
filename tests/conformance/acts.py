"""The queue's transitions with the arguments that most tests have in common."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from tests.factories import NOON
from tests.worker.runtime.bench import settings
from worker.database import moment
from worker.handlers import Registry
from worker.model import Job, Status
from worker.queries import outbox
from worker.queries.claims import claim
from worker.queries.outcomes import finish
from worker.queries.recovery import Recovered, recover
from worker.queries.schema import platform_jobs
from worker.runtime.held import Run
from worker.runtime.judge import Judge
from worker.settings import WorkerSettings

ME = "me"
SEALED = {"schema": "watchfloor.email.v1", "ciphertext": "c2VhbGVk"}
"""What a mail's job may carry."""


def clock(conn: Connection) -> datetime:
    """The database's time."""
    now: datetime = conn.execute(moment().select()).scalar_one()
    return now


def take(
    conn: Connection,
    *types: str,
    limit: int = 1,
    now: datetime = NOON,
    queues: Sequence[str] | None = None,
    after: str = "",
    instance_id: str = ME,
    lease_seconds: float = 300,
) -> list[Job]:
    """What a claim of these types gets; of `render_report` when none is named."""
    return claim(
        conn,
        instance_id=instance_id,
        job_types=types or ("render_report",),
        queues=queues,
        after=after,
        limit=limit,
        lease_seconds=lease_seconds,
        now=now,
    )


def end(
    conn: Connection,
    claimed: Job,
    error: BaseException | None = None,
    *,
    now: datetime = NOON,
    given: WorkerSettings | None = None,
) -> Status | None:
    """Write what a handler came to; the status its job has now, None when the claim was lost."""
    run = Run(claimed, renewed_at=time.monotonic())
    run.started_at = time.monotonic()
    result = Judge(Registry(), given or settings()).result(run, error)
    return finish(conn, instance_id=ME, results=[result], now=now).get(claimed.id)


def sweep(conn: Connection, *, now: datetime, stale_after_seconds: float = 900) -> Recovered:
    """One pass of the reaper."""
    with conn.engine.begin() as mine:
        return recover(mine, stale_after_seconds=stale_after_seconds, now=now)


def relay(conn: Connection, registry: Registry, *, now: datetime | None = None) -> outbox.Relayed:
    """One pass of the relay."""
    with conn.engine.begin() as mine:
        return outbox.relay(mine, registry.subscribers, now=now)


def jobs(conn: Connection, **columns: Any) -> list[Any]:
    """The job rows with these values, oldest first."""
    found = select(platform_jobs).order_by(platform_jobs.c.created_at, platform_jobs.c.id)
    for name, value in columns.items():
        found = found.where(platform_jobs.c[name] == value)
    return list(conn.execute(found))


def on(registry: Registry, event_type: str, *subscribers: str, **options: Any) -> Registry:
    """The registry with these subscribers of the event, who do nothing."""
    for subscriber in subscribers:
        registry.subscribers.register(event_type, subscriber, lambda job: None, **options)
    return registry
