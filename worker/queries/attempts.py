"""The history of each job: one row per attempt, written when the attempt ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Float, Integer, Text, and_, case, func, null, select, update

from worker.database import Id, Timestamp, greatest, insert, moment, optional, records, seconds
from worker.model import AttemptOutcome
from worker.queries.schema import job_attempts, platform_jobs


class Ended(TypedDict):
    """One attempt that is over; without `run_ms` it never started, without `retry_seconds` it is not tried again."""

    job_id: UUID
    generation: int
    attempt: int
    worker_id: NotRequired[str]
    claimed_at: datetime
    outcome: AttemptOutcome
    run_ms: NotRequired[float | None]
    retry_seconds: NotRequired[float]
    error: NotRequired[str]


def started_at(claimed_at: ColumnElement[Any], run_ms: ColumnElement[Any]) -> ColumnElement[Any]:
    """When the handler began, which ends now; never where it took no time at all."""
    return case((run_ms.is_not(None), greatest(claimed_at, moment() - seconds(run_ms / 1000.0))))


_ROWS = records(
    "ended",
    job_id=Id,
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
_worker_id = func.coalesce(_ended.worker_id, optional("by_instance", Text))
_same_attempt = and_(
    job_attempts.c.job_id == _ended.job_id,
    job_attempts.c.generation == _ended.generation,
    job_attempts.c.worker_id == _worker_id,
)
_started = started_at(_ended.claimed_at, _ended.run_ms)
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
        _worker_id,
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
        _same_attempt,
        job_attempts.c.outcome == AttemptOutcome.LEASE_EXPIRED,
        select(platform_jobs.c.id)
        .where(platform_jobs.c.id == _ended.job_id, platform_jobs.c.generation > _ended.generation)
        .exists(),
    )
    .values(outcome=AttemptOutcome.SUPERSEDED, started_at=_started, finished_at=moment())
    .returning(job_attempts.c.job_id, job_attempts.c.generation)
)


EARLIER = select(job_attempts.c.job_id).where(
    _same_attempt,
    job_attempts.c.outcome.not_in([AttemptOutcome.LEASE_EXPIRED, AttemptOutcome.SUPERSEDED, AttemptOutcome.RELEASED]),
)


def document(ended: Iterable[Ended]) -> str:
    """The attempts as one JSON document."""
    return json.dumps([_row(each) for each in ended])


def write(conn: Connection, ended: str, by_worker: Mapping[str, Any]) -> None:
    """Write a document of attempts, in the transaction that moves their jobs."""
    conn.execute(RECORD, {"ended": ended, **by_worker})


def record(conn: Connection, ended: Iterable[Ended], *, now: datetime | None = None) -> None:
    """Write the attempts that ended, in the transaction that moves their jobs."""
    if rows := list(ended):
        write(conn, document(rows), {"at_now": now})


def earlier(conn: Connection, ended: str, by_worker: Mapping[str, Any]) -> set[UUID]:
    """The jobs whose attempt this worker had ended and written down before."""
    return set(conn.execute(EARLIER, {"ended": ended, **by_worker}).scalars())


def supersede(conn: Connection, ended: str, by_worker: Mapping[str, Any]) -> set[tuple[UUID, int]]:
    """Say of attempts whose lease was lost that the job ran once more meanwhile; the claims of which that is true."""
    return {(row.job_id, row.generation) for row in conn.execute(SUPERSEDE, {"ended": ended, **by_worker})}


def _row(each: Ended) -> dict[str, Any]:
    return {**each, "job_id": str(each["job_id"]), "claimed_at": each["claimed_at"].isoformat()}
