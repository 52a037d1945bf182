"""Return the jobs of workers that fell silent: the reaper's transition (S1-110 to S1-116, S2-52 to S2-54)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, and_, bindparam, case, func, literal, null, or_, select, update
from sqlalchemy import cast as sql_cast

from worker.database import Row, among, moment, seconds
from worker.failures import RULE
from worker.model import LEASE_EXPIRED, RECOVERED, AttemptOutcome, Status
from worker.queries import attempts, statistics, wakeups
from worker.queries.fence import LET_GO
from worker.queries.homes import go_home
from worker.queries.savepoints import apart, reason
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

_silent_since = func.coalesce(job.c.locked_at, job.c.updated_at)
_stale = and_(
    has_status(Status.RUNNING),
    or_(
        job.c.lease_expires_at < moment(),
        and_(job.c.lease_expires_at.is_(None), _silent_since < moment() - seconds(bindparam("stale_after"))),
    ),
)
STALE = (
    select(
        job.c.id,
        job.c.generation,
        job.c.attempts,
        job.c.locked_by,
        job.c.locked_at,
        job.c.updated_at,
        job.c.available_at,
        job.c.created_at,
        job.c.handler_key,
        job.c.queue,
        job.c.tenant_id,
    )
    .where(_stale)
    .order_by(job.c.locked_by, job.c.id)  # by ids alone, a file would be read from its first job to its last
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
_becomes = case(
    (job.c.cancel_requested_at.is_not(None), Status.CANCELLED),
    (job.c.attempts >= job.c.max_attempts, Status.FAILED),
    else_=Status.QUEUED,
)
RECOVER = (
    update(job)
    .where(among(job.c.id, "stale_ids"))
    .values(
        status=_becomes,
        available_at=moment(),
        scheduled=False,
        finished_at=case((_becomes == Status.QUEUED, null()), else_=moment()),
        error_detail=RECOVERED,
        error_type=LEASE_EXPIRED,
        error_summary=RECOVERED,
        error_fingerprint=literal("lease-expired:") + sql_cast(job.c.handler_key, Text),
        error_alike=RECOVERED,
        error_rule=RULE,
        **LET_GO,
    )
    .returning(job.c.id, job.c.status)
)
_COUNTED_AS = {
    Status.QUEUED: AttemptOutcome.LEASE_EXPIRED,
    Status.FAILED: AttemptOutcome.DEAD_LETTER,
    Status.CANCELLED: AttemptOutcome.CANCELLED,
}
"""In the statistics, by what became of the job, so that a job that is over leaves their sums as any other does."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a pass came to; `refused` are rows that the database would not move, with why."""

    requeued: list[UUID] = field(default_factory=list)
    failed: list[UUID] = field(default_factory=list)
    cancelled: list[UUID] = field(default_factory=list)
    refused: dict[UUID, str] = field(default_factory=dict)
    holders: dict[str, int] = field(default_factory=dict)

    def by_status(self) -> dict[Status, list[UUID]]:
        """The jobs that were moved, by what they became."""
        return {Status.QUEUED: self.requeued, Status.FAILED: self.failed, Status.CANCELLED: self.cancelled}


def recover(
    conn: Connection, *, stale_after_seconds: float, limit: int = 100, now: datetime | None = None
) -> Recovered:
    """Requeue, or fail at the ceiling, up to `limit` running jobs whose lease is over; a renewed lease always wins.

    The rows are locked as they are judged, so what was finished, renewed or claimed meanwhile is left alone (A-01).
    """
    found = conn.execute(STALE, {"stale_after": stale_after_seconds, "at_most": limit, "at_now": now}).all()
    answer = Recovered()
    for row, error in apart(conn, found, lambda rows: _recover(conn, rows, answer, now)):
        answer.refused[row.id] = reason(error)
    statistics.add(conn, _measured(found, answer), now=now)
    if answer.requeued:
        wakeups.wake(conn, channel=wakeups.JOBS)
    return answer


def _recover(conn: Connection, rows: Sequence[Row], answer: Recovered, now: datetime | None) -> None:
    if not rows:
        return
    moved = conn.execute(RECOVER, {"stale_ids": [row.id for row in rows], "at_now": now}).all()
    go_home(conn, job_ids=[row.id for row in moved if row.status == Status.FAILED])
    attempts.record(conn, (_ended(row) for row in rows if row.locked_by), now=now)
    lists = answer.by_status()
    for row in moved:
        lists[Status(row.status)].append(row.id)
    for row in rows:
        holder = row.locked_by or "nobody"
        answer.holders[holder] = answer.holders.get(holder, 0) + 1


def _measured(found: Sequence[Row], answer: Recovered) -> Iterator[statistics.Measured]:
    """What was moved, as the statistics count it; how long it ran, nobody says."""
    became = {id_: status for status, ids in answer.by_status().items() for id_ in ids}
    for row in found:
        if status := became.get(row.id):
            claimed_at = row.locked_at or row.updated_at
            wait_ms = statistics.waited_ms(claimed_at, available_at=row.available_at, created_at=row.created_at)
            outcome, tenant_id = _COUNTED_AS[status], row.tenant_id
            yield statistics.Measured(row.handler_key, row.queue, outcome, 0, wait_ms, tenant_id=tenant_id)


def _ended(row: Row) -> attempts.Ended:
    return attempts.Ended(
        job_id=row.id,
        generation=row.generation,
        attempt=row.attempts,
        worker_id=row.locked_by,
        claimed_at=row.locked_at or row.updated_at,
        outcome=AttemptOutcome.LEASE_EXPIRED,
        error=RECOVERED,
    )
