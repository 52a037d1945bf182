"""The usual end of a claim: its job succeeded, and the attempt is written with it; one statement for a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Float, Integer, Text, bindparam, literal, null, select, update

from worker.database import Id, Timestamp, array_text, arrays, insert, moment, records, takes_what_moved
from worker.model import AttemptOutcome, Status
from worker.queries import attempts
from worker.queries.fence import LET_GO, is_held
from worker.queries.results import Result
from worker.queries.schema import job_attempts
from worker.queries.schema import platform_jobs as job

_ERROR = ("error_detail", "error_type", "error_summary", "error_fingerprint", "error_alike", "error_rule")
_SUCCEEDED: dict[str, Any] = {"status": Status.SUCCEEDED, "finished_at": moment(), "progress": 100}
_SUCCEEDED |= dict.fromkeys(_ERROR, null()) | LET_GO

_done = arrays("done", job_id=Id, generation=Integer(), attempt=Integer(), claimed_at=Timestamp, run_ms=Float()).c
_moved = update(job).where(is_held(_done.job_id, _done.generation)).values(_SUCCEEDED).returning(*_done).cte("moved").c
_ATTEMPT = {
    "job_id": _moved.job_id,
    "generation": _moved.generation,
    "attempt": _moved.attempt,
    "worker_id": bindparam("by_instance", type_=Text),
    "claimed_at": _moved.claimed_at,
    "started_at": attempts.started_at(_moved.claimed_at, _moved.run_ms),
    "finished_at": moment(),
    "outcome": literal(AttemptOutcome.COMPLETED, Text),
}
COMPLETE = (
    insert(job_attempts)
    .from_select([*_ATTEMPT], select(*_ATTEMPT.values()))
    .returning(job_attempts.c.job_id)
    .execution_options(preserve_rowcount=True)
)

_ended = records("ended", job_id=Id, generation=Integer()).c
SUCCEED = update(job).where(is_held(_ended.job_id, _ended.generation)).values(_SUCCEEDED).returning(job.c.id)
"""Where an INSERT cannot take its rows from it, and the attempts are written after it."""


def complete(conn: Connection, results: Sequence[Result], by_me: dict[str, Any]) -> Sequence[Result]:
    """End these claims, in their order; of them, those that were still held."""
    if not takes_what_moved(conn):
        moved = set(conn.execute(SUCCEED, by_me | {"ended": _document(results)}).scalars())
        held = [each for each in results if each.job.id in moved]
        attempts.write(conn, _document(held), by_me)
        return held
    answer = conn.execute(COMPLETE, by_me | _arrays(results))
    if answer.rowcount == len(results):
        return results
    moved = set(answer.scalars())
    return [each for each in results if each.job.id in moved]


def _document(results: Iterable[Result]) -> str:
    return attempts.document(each.ended_as(Status.SUCCEEDED) for each in results)


def _arrays(results: Sequence[Result]) -> dict[str, str]:
    """Written by hand, for nothing is written more often."""
    jobs = [each.job for each in results]
    return {
        "done_job_id": array_text([each.id.hex for each in jobs]),
        "done_generation": array_text([str(each.generation) for each in jobs]),
        "done_attempt": array_text([str(each.attempts) for each in jobs]),
        "done_claimed_at": array_text([each.locked_at.isoformat() for each in jobs]),
        "done_run_ms": array_text(["NULL" if each.run_ms is None else f"{each.run_ms:.3f}" for each in results]),
    }
