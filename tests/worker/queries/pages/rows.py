"""Rows that several of these tests need."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from worker.model import Status, new_id
from worker.provisioning.steps import STEPS
from worker.queries.schema import BUCKETS_MS, job_attempts, job_steps, platform_jobs, statistics_minutes


def minute(
    conn: Connection, at: datetime, *, queue: str = "mail", handler: str = "render_report", **columns: Any
) -> None:
    """What one handler's attempts of one outcome came to in a minute; `runs` counts them by bucket bound."""
    runs = columns.pop("runs", {})
    assert set(runs) <= set(BUCKETS_MS)
    row: dict[str, Any] = {
        "minute": at.replace(second=0, microsecond=0),
        "handler_key": handler,
        "queue": queue,
        "outcome": "completed",
        "jobs": 1,
        "run_ms": 0,
        "wait_ms": 0,
        **{f"run_{bound}": count for bound, count in runs.items()},
    }
    conn.execute(insert(statistics_minutes), row | columns)


def jobs(conn: Connection, number: int, *, status: Status = Status.QUEUED, **columns: Any) -> None:
    """Many jobs of one kind, each created a millisecond after the one before."""
    alike = {"job_type": "render_report", "status": status, "finished_at": None if status == Status.QUEUED else NOON}
    births = (NOON - timedelta(hours=1) + timedelta(milliseconds=place) for place in range(number))
    rows = [{"id": new_id(), "created_at": at, "available_at": at} | alike | columns for at in births]
    with conn.engine.begin() as apart:
        apart.execute(insert(platform_jobs), rows)


def attempt(conn: Connection, job_id: UUID, generation: int = 1, **columns: Any) -> None:
    """An attempt of the job that ended at noon."""
    row = {"job_id": job_id, "generation": generation, "attempt": generation, "worker_id": "worker-1"}
    row |= {"claimed_at": NOON, "finished_at": NOON, "outcome": "failed"}
    conn.execute(insert(job_attempts), row | columns)


def provisioned(
    conn: Connection, slug: str, *, onboarding: str = "provisioning", done: int = 0, **columns: Any
) -> UUID:
    """The job that sets a new tenant up."""
    tenant_id = factories.tenant(conn, slug, onboarding_status=onboarding)
    key: dict[str, Any] = {
        "job_type": "provision_tenant",
        "tenant_id": tenant_id,
        "idempotency_key": f"provision:{tenant_id}",
    }
    return factories.job(conn, **key | {"steps_completed": list(STEPS[:done])} | columns)


def ran(
    conn: Connection, job_id: UUID, place: int, outcome: str = "done", *, at: datetime = NOON, generation: int = 1
) -> None:
    """A step that took two seconds."""
    about = {"job_id": job_id, "generation": generation, "ordinal": place + 1, "step": STEPS[place]}
    ended = {"started_at": at - timedelta(seconds=2), "finished_at": at, "outcome": outcome}
    conn.execute(insert(job_steps), about | ended)
