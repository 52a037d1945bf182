"""Rows that several of these tests need."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert

from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.schema import BUCKETS_MS, job_attempts, platform_jobs, statistics_minutes


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
