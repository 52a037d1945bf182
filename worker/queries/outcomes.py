"""Finish claims in batches: jobs moved, attempts written, statistics counted, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Float, Integer, Text, and_, case, func, null, select, update

from worker.database import Id, moment, records, seconds
from worker.failures import RULE
from worker.model import AttemptOutcome, Status
from worker.queries import attempts, statistics
from worker.queries.completions import complete
from worker.queries.fence import LET_GO, is_held
from worker.queries.homes import home_of
from worker.queries.results import Result
from worker.queries.schema import platform_jobs as job

_ROWS = records(
    "ended",
    job_id=Id,
    generation=Integer(),
    status=Text(),
    retry_seconds=Float(),
    error=Text(),
    error_type=Text(),
    error_summary=Text(),
    error_fingerprint=Text(),
    error_alike=Text(),
    error_rule=Integer(),
)
_result = _ROWS.c
_held = is_held(_result.job_id, _result.generation)
LOCK = select(job.c.id).where(_held).order_by(job.c.id).with_for_update(of=job)

# Whoever asked for a cancel is not answered with another attempt
_cancelled = and_(_result.status != Status.SUCCEEDED, job.c.cancel_requested_at.is_not(None))
_again = and_(_result.status == Status.QUEUED, job.c.cancel_requested_at.is_(None))
FINISH = (
    update(job)
    .where(_held)
    .values(
        status=case((_cancelled, Status.CANCELLED), else_=_result.status),
        scheduled=_again,
        available_at=case(
            (_again, moment() + seconds(func.coalesce(_result.retry_seconds, 0.0))), else_=job.c.available_at
        ),
        finished_at=case((_again, null()), else_=moment()),
        error_detail=_result.error,
        error_type=_result.error_type,
        error_summary=_result.error_summary,
        error_fingerprint=home_of(_result.error_fingerprint),
        error_alike=_result.error_alike,
        error_rule=_result.error_rule,
        **LET_GO,
    )
    .returning(job.c.id, job.c.status)
)


def finish(
    conn: Connection, *, instance_id: str, results: Sequence[Result], now: datetime | None = None
) -> dict[UUID, Status]:
    """Write the outcomes of the claims that are still held; the status each job has now, by id.

    An id that is missing lost its claim: its row was left to the new owner, and where the job has been claimed again
    the attempt is recorded as superseded (S2-143, A-09); or an earlier call wrote it already (see `written`). To be
    called in a transaction.
    """
    ordered = sorted(results, key=lambda each: (each.job.id.int, each.job.generation))  # all lock in one order
    latest = {each.job.id.int: each for each in ordered}  # of two claims of one job, the older is lost
    by_me = {"by_instance": instance_id, "at_now": now}
    moved = _move(conn, latest.values(), by_me)
    measured = [_measured(each, each.outcome_as(status)) for each, status in moved]
    if len(moved) < len(ordered):
        held = {id(each) for each, _ in moved}
        lost = [each for each in ordered if id(each) not in held]
        superseded = attempts.supersede(conn, _document(lost), by_me)
        measured += [_measured(each, AttemptOutcome.SUPERSEDED) for each in lost if each.job.claim in superseded]
    statistics.add(conn, measured, now=now)
    return {each.job.id: status for each, status in moved}


def written(conn: Connection, *, instance_id: str, results: Sequence[Result]) -> set[UUID]:
    """Of jobs that a call did not move, those that an earlier one had, whose answer never came (A-15)."""
    return attempts.earlier(conn, _document(results), {"by_instance": instance_id})


def _move(conn: Connection, results: Iterable[Result], by_me: dict[str, Any]) -> list[tuple[Result, Status]]:
    """Those that are still held, and what their jobs became."""
    done: list[Result] = []
    rest: list[Result] = []
    for each in results:
        (done if each.status is Status.SUCCEEDED else rest).append(each)
    if done and rest:  # two statements, each in its own order, would deadlock with whoever locks the whole in one
        conn.execute(LOCK, by_me | {"ended": _document(done + rest)})
    completed = complete(conn, done, by_me) if done else ()
    return [*((each, Status.SUCCEEDED) for each in completed), *_settle(conn, rest, by_me)]


def _settle(conn: Connection, results: Sequence[Result], by_me: dict[str, Any]) -> list[tuple[Result, Status]]:
    """Failures and cancels, whose last word the database has: somebody may have asked for a cancel."""
    if not results:
        return []
    document = json.dumps([_row(each) for each in results])
    moved = {row.id: Status(row.status) for row in conn.execute(FINISH, by_me | {"ended": document})}
    held = [(each, moved[each.job.id]) for each in results if each.job.id in moved]
    if held:
        attempts.write(conn, attempts.document(each.ended_as(status) for each, status in held), by_me)
    return held


def _document(results: Iterable[Result]) -> str:
    return attempts.document(each.ended_as(each.status) for each in results)


def _row(result: Result) -> dict[str, Any]:
    failure = result.failure
    return {
        "job_id": str(result.job.id),
        "generation": result.job.generation,
        "status": result.status,
        "retry_seconds": result.retry_delay_seconds,
        "error": failure and failure.detail,
        "error_type": failure and failure.error_type,
        "error_summary": failure and failure.summary,
        "error_fingerprint": failure and failure.fingerprint,
        "error_alike": failure and failure.alike,
        "error_rule": failure and RULE,
    }


def _measured(result: Result, outcome: AttemptOutcome) -> statistics.Measured:
    job = result.job
    wait_ms = statistics.waited_ms(job.locked_at, available_at=job.available_at, created_at=job.created_at)
    run_ms = result.run_ms or 0
    return statistics.Measured(job.handler_key, job.queue, outcome, run_ms, wait_ms, job.attempts, job.tenant_id)
