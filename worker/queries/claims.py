"""Take due jobs under a lease, keep it alive, give back what never started."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Integer, bindparam, case, select, update

from worker.database import Id, among, moment, records, seconds
from worker.model import AttemptOutcome, Job, Status
from worker.queries import attempts
from worker.queries.fence import LET_GO, is_held
from worker.queries.queues import paused
from worker.queries.ready import promote, take
from worker.queries.schema import platform_jobs as job
from worker.queries.spans import Legacy, spans

_CLAIMS = records("claims", id=Id, generation=Integer())
_held = is_held(_CLAIMS.c.id, _CLAIMS.c.generation)
RENEW = (
    update(job)
    .where(_held)
    .values(lease_expires_at=moment() + seconds(bindparam("lease_seconds")))
    .returning(job.c.id, job.c.generation, job.c.cancel_requested_at)
)
_LOCKED = (
    select(job.c.id, job.c.generation, job.c.attempts, job.c.locked_at)
    .where(_held)
    .order_by(job.c.id)
    .with_for_update(of=job)
)
# What never started and was to stop is cancelled, as if the request had come before the claim
_cancelled = job.c.cancel_requested_at.is_not(None)
RELEASE = (
    update(job)
    .where(among(job.c.id, "released"))
    .values(
        status=case((_cancelled, Status.CANCELLED), else_=Status.QUEUED),
        finished_at=case((_cancelled, moment())),
        attempts=job.c.attempts - 1,
        **LET_GO,
    )
)


@dataclass(frozen=True, slots=True)
class Renewed:
    """A lease that was extended, and whether somebody asked for the job to stop."""

    generation: int
    cancel_requested: bool


def claim(
    conn: Connection,
    *,
    instance_id: str,
    job_types: Sequence[str],
    queues: Sequence[str] | None,
    after: str,
    limit: int,
    lease_seconds: float,
    legacy: Legacy | None = None,
    now: datetime | None = None,
) -> list[Job]:
    """Lease up to `limit` due jobs, the queue after `after` first, the oldest first within a queue.

    `queues=None` means every queue; paused ones are left alone, and rows that another worker is taking are passed over
    (S1-34 to S1-45, S2-27 to S2-38). What was taken must be committed before any handler runs.
    """
    promote(conn, now=now)
    return take(
        conn,
        instance_id=instance_id,
        job_types=job_types,
        wanted=spans(queues, after, paused=paused(conn, now=now).keys(), legacy=legacy),
        limit=limit,
        lease_seconds=lease_seconds,
        legacy=legacy,
        now=now,
    )


def renew(
    conn: Connection,
    *,
    instance_id: str,
    claims: Sequence[tuple[UUID, int]],
    lease_seconds: float,
    now: datetime | None = None,
) -> dict[UUID, Renewed]:
    """Extend every lease that is still ours; an id missing from the answer belongs to somebody else now."""
    held = {"claims": _document(claims), "by_instance": instance_id, "lease_seconds": lease_seconds, "at_now": now}
    return {row.id: Renewed(row.generation, row.cancel_requested_at is not None) for row in conn.execute(RENEW, held)}


def release(
    conn: Connection, *, instance_id: str, claims: Sequence[tuple[UUID, int]], now: datetime | None = None
) -> set[UUID]:
    """Give back jobs that never started: queued again, the attempt refunded, the history says so (S2-133).

    Those that somebody had asked to stop are cancelled.
    """
    rows = conn.execute(_LOCKED, {"claims": _document(claims), "by_instance": instance_id}).all()
    conn.execute(RELEASE, {"released": [row.id for row in rows], "at_now": now})
    attempts.record(
        conn,
        (
            attempts.Ended(
                job_id=row.id,
                generation=row.generation,
                attempt=row.attempts,
                worker_id=instance_id,
                claimed_at=row.locked_at,
                outcome=AttemptOutcome.RELEASED,
            )
            for row in rows
        ),
        now=now,
    )
    return {row.id for row in rows}


def _document(claims: Sequence[tuple[UUID, int]]) -> str:
    """In the order of their ids, as everybody locks them: renewals and outcomes meet all the time (A-23)."""
    ordered = sorted(claims, key=lambda claim: claim[0].int)
    return json.dumps([{"id": str(job_id), "generation": generation} for job_id, generation in ordered])
