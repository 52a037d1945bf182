"""Rows of jobs in bulk: every column is named, so that all of them go in one statement."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed.clock import NOW, identity
from worker.model import Status
from worker.queries.schema import platform_jobs

Row = dict[str, Any]

EMPTY: Row = {
    "tenant_id": None,
    "status": Status.QUEUED,
    "progress": 0,
    "steps_completed": [],
    "payload": {},
    "metadata": None,
    "idempotency_key": None,
    "attempts": 0,
    "max_attempts": 5,
    "generation": 0,
    "replays": 0,
    "scheduled": False,
    "locked_at": None,
    "locked_by": None,
    "lease_expires_at": None,
    "cancel_requested_at": None,
    "event_id": None,
    "event_type": None,
    "subscriber_id": None,
    "source": "api",
    "traceparent": None,
    "error_type": None,
    "error_summary": None,
    "error_detail": None,
    "error_fingerprint": None,
    "finished_at": None,
}


def queued(kind: str, number: int, created_at: datetime, **columns: Any) -> Row:
    """A job that has been ready since it was created."""
    row = {**EMPTY, "id": identity(kind, number, created_at), "created_at": created_at}
    return row | {"updated_at": created_at, "available_at": created_at} | columns


def scheduled(kind: str, number: int, created_at: datetime, due_at: datetime, **columns: Any) -> Row:
    """A job that is due later."""
    return queued(kind, number, created_at, available_at=due_at, scheduled=True, **columns)


def running(kind: str, number: int, created_at: datetime, since: datetime, worker: str, **columns: Any) -> Row:
    """A job in its first attempt, claimed then by that worker."""
    row = queued(kind, number, created_at, status=Status.RUNNING, locked_at=since, locked_by=worker)
    return row | {"attempts": 1, "generation": 1, "lease_expires_at": NOW + timedelta(minutes=4)} | columns


def succeeded(kind: str, number: int, created_at: datetime, took: timedelta, **columns: Any) -> Row:
    """A job that its first attempt completed."""
    row = queued(kind, number, created_at, status=Status.SUCCEEDED, attempts=1, generation=1, progress=100)
    return row | {"finished_at": created_at + took, "updated_at": created_at + took} | columns


def of_event(event_type: str, subscriber_id: str, kind: str, number: int) -> Row:
    """The columns of a job that a subscriber got from an event."""
    about = {"job_type": "run_subscriber", "subscriber_id": subscriber_id, "event_type": event_type}
    return {**about, "event_id": str(identity(f"event of {kind}", number)), "source": "shop"}


def write(conn: Connection, rows: Iterable[Row]) -> None:
    """Insert the jobs."""
    conn.execute(insert(platform_jobs), list(rows))
