"""The history of each job: one row per attempt, written when the attempt ends."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from sqlalchemy import Connection, Float, Integer, Text, Uuid, case, func, null, select, update

from worker.database import Timestamp, insert, moment, records, seconds
from worker.model import AttemptOutcome
from worker.queries.schema import job_attempts, platform_jobs


class Ended(TypedDict):
    """One attempt that is over; `run_ms` is None when it never started, `retry_seconds` when it is not tried again."""

    job_id: UUID
    generation: int
    attempt: int
    worker_id: str
    claimed_at: datetime
    outcome: AttemptOutcome
    run_ms: float | None
    retry_seconds: float | None
    error: str | None


_ROWS = records(
    "ended",
    job_id=Uuid(),
    generation=Integer(),
    attempt=Integer(),
    worker_id=Text(),
    claimed_at=Timestamp,
    outcome=Text(),
    run_ms=Float(),
    retry_seconds=Float(),
    error=Text(),
)
_ended = _ROWS.c
_started = case(
    (_ended.run_ms.is_not(None), func.greatest(_ended.claimed_at, moment() - seconds(_ended.run_ms / 1000.0))),
)
RECORD = insert(job_attempts).from_select(
    [
        "job_id",
        "generation",
        "attempt",
        "worker_id",
        "claimed_at",
        "started_at",
        "finished_at",
        "outcome",
        "retry_at",
        "error",
    ],
    select(
        _ended.job_id,
        _ended.generation,
        _ended.attempt,
        _ended.worker_id,
        _ended.claimed_at,
        _started,
        moment(),
        _ended.outcome,
        case((_ended.retry_seconds.is_not(None), moment() + seconds(_ended.retry_seconds)), else_=null()),
        _ended.error,
    ),
)
SUPERSEDE = (
    update(job_attempts)
    .where(
        job_attempts.c.job_id == _ended.job_id,
        job_attempts.c.generation == _ended.generation,
        job_attempts.c.worker_id == _ended.worker_id,
        job_attempts.c.outcome == AttemptOutcome.LEASE_EXPIRED,
        select(platform_jobs.c.id)
        .where(platform_jobs.c.id == _ended.job_id, platform_jobs.c.generation > _ended.generation)
        .exists(),
    )
    .values(outcome=AttemptOutcome.SUPERSEDED, started_at=_started, finished_at=moment())
    .returning(job_attempts.c.job_id, job_attempts.c.finished_at)
)


def record(conn: Connection, ended: Iterable[Ended], *, now: datetime | None = None) -> None:
    """Write the attempts that ended, in the transaction that moves their jobs."""
    if rows := [_row(each) for each in ended]:
        conn.execute(RECORD, {"ended": json.dumps(rows), "at_now": now})


def supersede(conn: Connection, ended: Iterable[Ended], *, now: datetime | None = None) -> dict[UUID, datetime]:
    """Say of attempts whose lease was lost that another one ran meanwhile; of which jobs that is true, and when."""
    rows = [_row(each) for each in ended]
    found = conn.execute(SUPERSEDE, {"ended": json.dumps(rows), "at_now": now}).all() if rows else ()
    return {row.job_id: row.finished_at for row in found}


def _row(each: Ended) -> dict[str, Any]:
    return {**each, "job_id": str(each["job_id"]), "claimed_at": each["claimed_at"].isoformat()}
