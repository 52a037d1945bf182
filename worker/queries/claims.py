"""Take due jobs under a lease, keep it alive, give back what never started."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Integer, Uuid, and_, bindparam, null, select, update

from worker.database import Row, among, moment, records, seconds, text_of
from worker.model import LEASE_EXPIRED, AttemptOutcome, Job, Status
from worker.queries import attempts, queues
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

# A name followed by this sorts after the name itself and before any other, "~" after every name.
_JUST_AFTER, _END = " ", "~"
_PROMOTE_AT_MOST = 1000

_due = select(job.c.id).where(has_status(Status.QUEUED), job.c.scheduled, job.c.available_at <= moment())
PROMOTE = (
    update(job)
    .where(
        job.c.id.in_(
            _due.order_by(job.c.available_at, job.c.id).limit(_PROMOTE_AT_MOST).with_for_update(skip_locked=True)
        )
    )
    .values(scheduled=False)
)
PICK = (
    select(job.c.id, job.c.queue)
    .where(
        has_status(Status.QUEUED),
        ~job.c.scheduled,
        job.c.available_at <= moment(),
        among(job.c.job_type, "job_types"),
        job.c.queue >= bindparam("from_queue"),
        job.c.queue < bindparam("to_queue"),
        job.c.queue.not_in(queues.PAUSED_NAMES),
    )
    .order_by(job.c.queue, job.c.created_at, job.c.id)
    .limit(bindparam("at_most", type_=Integer))
    .with_for_update(skip_locked=True)
)
TAKE = (
    update(job)
    .where(among(job.c.id, "picked"))
    .values(
        status=Status.RUNNING,
        attempts=job.c.attempts + 1,
        generation=job.c.generation + 1,
        locked_at=moment(),
        locked_by=bindparam("by_instance"),
        lease_expires_at=moment() + seconds(bindparam("lease_seconds")),
        updated_at=moment(),
    )
    .returning(
        job.c.id,
        job.c.job_type,
        job.c.queue,
        text_of(job.c.payload).label("payload_text"),
        job.c.attempts,
        job.c.max_attempts,
        job.c.generation,
        job.c.locked_at,
        job.c.created_at,
        job.c.available_at,
        job.c.tenant_id,
        job.c.event_id,
        job.c.event_type,
        job.c.subscriber_id,
        job.c.source,
        job.c.schema_version,
        job.c.steps_completed,
        job.c.error_type.is_not_distinct_from(LEASE_EXPIRED).label("recovered"),
    )
)

_CLAIMS = records("claims", id=Uuid(), generation=Integer())
_held = and_(
    job.c.id == _CLAIMS.c.id,
    job.c.generation == _CLAIMS.c.generation,
    has_status(Status.RUNNING),
    job.c.locked_by == bindparam("by_instance"),
)
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
RELEASE = (
    update(job)
    .where(among(job.c.id, "released"))
    .values(
        status=Status.QUEUED,
        attempts=job.c.attempts - 1,
        locked_by=null(),
        locked_at=null(),
        lease_expires_at=null(),
        updated_at=moment(),
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
    now: datetime | None = None,
) -> list[Job]:
    """Lease up to `limit` due jobs, the queue after `after` first, the oldest first within a queue.

    To be called in a transaction of its own that is committed before any handler runs. `queues=None` means every queue;
    paused ones are left alone, and rows that another worker is taking are passed over (S1-34 to S1-45, S2-27 to S2-38).
    """
    conn.execute(PROMOTE, {"at_now": now})
    picked: list[Row] = []
    for from_queue, to_queue in _spans(conn, queues, after, now):
        if (room := limit - len(picked)) <= 0:
            break
        span = {"from_queue": from_queue, "to_queue": to_queue, "job_types": list(job_types)}
        picked += conn.execute(PICK, {**span, "at_most": room, "at_now": now}).all()
    if not picked:
        return []
    order = {row.id: place for place, row in enumerate(picked)}
    taken = conn.execute(
        TAKE,
        {"picked": list(order), "by_instance": instance_id, "lease_seconds": lease_seconds, "at_now": now},
    )
    return sorted((_job(row) for row in taken), key=lambda each: order[each.id])


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
    """Give back jobs that never started: queued again, the attempt refunded, the history says so (S2-133)."""
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
                run_ms=None,
                retry_seconds=None,
                error=None,
            )
            for row in rows
        ),
        now=now,
    )
    return {row.id for row in rows}


def _spans(
    conn: Connection, allowed: Sequence[str] | None, after: str, now: datetime | None
) -> Iterator[tuple[str, str]]:
    """Half-open ranges of queue names, in rotation from `after`, around what is paused.

    Each range is one index scan that stops at its limit: a paused queue's backlog is never walked.
    """
    paused = sorted(queues.paused(conn, now=now))
    if allowed is not None:
        open_names = sorted(set(allowed).difference(paused))
        names = [name for name in open_names if name > after] + [name for name in open_names if name <= after]
        yield from ((name, name + _JUST_AFTER) for name in names)
        return
    turn = after + _JUST_AFTER if after else ""
    yield from _around(turn, _END, paused)
    if turn:
        yield from _around("", turn, paused)


def _around(start: str, end: str, paused: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in paused:
        if start <= name < end:
            yield start, name
            start = name + _JUST_AFTER
    yield start, end


def _job(row: Row) -> Job:
    return Job(**{**row._asdict(), "steps_completed": tuple(row.steps_completed)})


def _document(claims: Sequence[tuple[UUID, int]]) -> str:
    return json.dumps([{"id": str(job_id), "generation": generation} for job_id, generation in claims])
