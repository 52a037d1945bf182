"""Finish claims in batches: jobs moved, attempts written, statistics counted, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Float, Integer, Text, Uuid, and_, bindparam, case, func, null, update

from worker.database import moment, records, seconds
from worker.failures import Failure
from worker.model import AttemptOutcome, Job, Status
from worker.queries import attempts, statistics
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job


@dataclass(frozen=True, slots=True)
class Result:
    """How a claim ended: with `retry_delay_seconds` it is tried again; `run_ms` is None when it never started."""

    job: Job
    outcome: AttemptOutcome
    run_ms: float | None = None
    retry_delay_seconds: float | None = None
    failure: Failure | None = None

    @property
    def status(self) -> Status:
        """What the job becomes."""
        if self.retry_delay_seconds is not None:
            return Status.QUEUED
        return _BECOMES.get(self.outcome, Status.FAILED)


_BECOMES = {AttemptOutcome.COMPLETED: Status.SUCCEEDED, AttemptOutcome.CANCELLED: Status.CANCELLED}

_ROWS = records(
    "results",
    id=Uuid(),
    generation=Integer(),
    status=Text(),
    retry_seconds=Float(),
    error_detail=Text(),
    error_type=Text(),
    error_summary=Text(),
    error_fingerprint=Text(),
)
_result = _ROWS.c
# Whoever asked for a cancel is not answered with another attempt
_cancelled = and_(_result.status != Status.SUCCEEDED, job.c.cancel_requested_at.is_not(None))
_status = case((_cancelled, Status.CANCELLED), else_=_result.status)
_again = and_(_result.status == Status.QUEUED, job.c.cancel_requested_at.is_(None))
FINISH = (
    update(job)
    .where(
        job.c.id == _result.id,
        job.c.generation == _result.generation,
        has_status(Status.RUNNING),
        job.c.locked_by == bindparam("by_instance"),
    )
    .values(
        status=_status,
        scheduled=_again,
        available_at=case(
            (_again, moment() + seconds(func.coalesce(_result.retry_seconds, 0.0))), else_=job.c.available_at
        ),
        finished_at=case((_again, null()), else_=moment()),
        progress=case((_result.status == Status.SUCCEEDED, 100), else_=job.c.progress),
        error_detail=_result.error_detail,
        error_type=_result.error_type,
        error_summary=_result.error_summary,
        error_fingerprint=_result.error_fingerprint,
        locked_by=null(),
        locked_at=null(),
        lease_expires_at=null(),
        updated_at=moment(),
    )
    .returning(job.c.id, job.c.status, job.c.updated_at)
)


def finish(
    conn: Connection, *, instance_id: str, results: Sequence[Result], now: datetime | None = None
) -> dict[UUID, Status]:
    """Write the outcomes of the claims that are still held; the status each job has now, by id.

    An id that is missing lost its claim: its row was left to the new owner, and where the job has been claimed again
    the attempt is recorded as superseded (S2-143, A-09). To be called in a transaction.
    """
    ordered = sorted(results, key=lambda each: each.job.id)
    document = json.dumps([_row(each) for each in ordered])
    moved = conn.execute(FINISH, {"results": document, "by_instance": instance_id, "at_now": now}).all()
    statuses = {row.id: Status(row.status) for row in moved}
    held = [each for each in ordered if each.job.id in statuses]
    lost = [each for each in ordered if each.job.id not in statuses]
    attempts.record(conn, (_ended(each, instance_id, statuses[each.job.id]) for each in held), now=now)
    superseded = attempts.supersede(conn, (_ended(each, instance_id, each.status) for each in lost), now=now)
    measured = [_measured(each, _outcome(each, statuses[each.job.id])) for each in held]
    measured += [_measured(each, AttemptOutcome.SUPERSEDED) for each in lost if each.job.id in superseded]
    if measured:
        statistics.add(conn, measured, at=max([*(row.updated_at for row in moved), *superseded.values()]))
    return statuses


def _outcome(result: Result, status: Status) -> AttemptOutcome:
    return AttemptOutcome.CANCELLED if status == Status.CANCELLED else result.outcome


def _row(result: Result) -> dict[str, Any]:
    failure = result.failure
    return {
        "id": str(result.job.id),
        "generation": result.job.generation,
        "status": result.status,
        "retry_seconds": result.retry_delay_seconds,
        "error_detail": failure and failure.detail,
        "error_type": failure and failure.error_type,
        "error_summary": failure and failure.summary,
        "error_fingerprint": failure and failure.fingerprint,
    }


def _ended(result: Result, instance_id: str, status: Status) -> attempts.Ended:
    return attempts.Ended(
        job_id=result.job.id,
        generation=result.job.generation,
        attempt=result.job.attempts,
        worker_id=instance_id,
        claimed_at=result.job.locked_at,
        outcome=_outcome(result, status),
        run_ms=result.run_ms,
        retry_seconds=result.retry_delay_seconds if status == Status.QUEUED else None,
        error=result.failure.detail if result.failure else None,
    )


def _measured(result: Result, outcome: AttemptOutcome) -> statistics.Measured:
    job = result.job
    waited = job.locked_at - max(job.available_at, job.created_at)
    return statistics.Measured(
        job.handler_key,
        job.queue,
        outcome,
        result.run_ms or 0,
        max(waited.total_seconds() * 1000, 0),
    )
