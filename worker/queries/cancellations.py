"""Cancel: at once what is not running; a request to what is, seen by its worker's next beat (A-50, A-51)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, null, select, update

from worker.database import among, moment
from worker.model import Status
from worker.queries.audit import Actor, record
from worker.queries.schema import platform_jobs as job

# By id alone, in id order: the state is judged once the rows are ours (see dead_letters)
LOCK = (
    select(job.c.id, job.c.status, job.c.cancel_requested_at)
    .where(among(job.c.id, "of_ids"))
    .order_by(job.c.id)
    .with_for_update()
)
CANCEL = (
    update(job)
    .where(among(job.c.id, "of_ids"))
    .values(
        status=Status.CANCELLED, scheduled=False, finished_at=moment(), cancel_requested_at=null(), updated_at=moment()
    )
    .returning(job.c.id)
)
REQUEST = update(job).where(among(job.c.id, "of_ids")).values(cancel_requested_at=moment()).returning(job.c.id)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Which jobs are cancelled, which running ones were asked to stop, and which were past either."""

    cancelled: list[UUID]
    requested: list[UUID]
    skipped: list[UUID]


def cancel(
    conn: Connection, *, job_ids: Sequence[UUID], actor: Actor, reason: str | None, now: datetime | None = None
) -> Cancelled:
    """Cancel queued and failed jobs, ask running ones to stop, leave finished ones; audited in the same transaction."""
    ids = sorted(set(job_ids))
    rows = conn.execute(LOCK, {"of_ids": ids}).all()
    idle = [row.id for row in rows if row.status in (Status.QUEUED, Status.FAILED)]
    running = [row.id for row in rows if row.status == Status.RUNNING and row.cancel_requested_at is None]
    cancelled, requested = end(conn, job_ids=idle, now=now), ask(conn, job_ids=running, now=now)
    touched = {*cancelled, *requested}
    if touched:
        detail = {"cancelled": len(cancelled), "requested": len(requested)}
        record(conn, actor=actor, action="cancel", job_ids=touched, reason=reason, detail=detail, now=now)
    return Cancelled(cancelled, requested, [each for each in ids if each not in touched])


def end(conn: Connection, *, job_ids: Sequence[UUID], now: datetime | None = None) -> list[UUID]:
    """Cancel jobs that are locked and at rest; whoever calls this tells the audit trail."""
    return list(conn.execute(CANCEL, {"of_ids": list(job_ids), "at_now": now}).scalars())


def ask(conn: Connection, *, job_ids: Sequence[UUID], now: datetime | None = None) -> list[UUID]:
    """Ask running jobs that are locked to stop, likewise."""
    return list(conn.execute(REQUEST, {"of_ids": list(job_ids), "at_now": now}).scalars())
