"""Replay: a job that failed for good gets a new budget. Its history, steps and generation stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Boolean, Connection, Integer, bindparam, null, select, update

from worker.database import Timestamp, among, moment, seconds
from worker.model import Status
from worker.queries import wakeups
from worker.queries.audit import Actor, record
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

# By id alone, in id order: the state is judged once the rows are ours, so that no plan walks all dead letters for it,
# and two people pressing at once never deadlock
LOCK = select(job.c.id, job.c.status).where(among(job.c.id, "of_ids")).order_by(job.c.id).with_for_update()
# What a job that was over needs to be tried anew; its history, steps, progress and generation stay as they are
NEW_BUDGET = {
    "status": Status.QUEUED,
    "attempts": 0,
    "replays": job.c.replays + 1,
    "available_at": moment(),
    "scheduled": False,
    "cancel_requested_at": null(),
    "finished_at": null(),
    "error_detail": null(),
    "error_type": null(),
    "error_summary": null(),
    "error_fingerprint": null(),
    "error_alike": null(),
    "error_rule": null(),
    "updated_at": moment(),
}
REPLAY = (
    update(job)
    .where(among(job.c.id, "of_ids"))
    .values(
        NEW_BUDGET
        | {
            "available_at": moment() + seconds(bindparam("wait_seconds", type_=Integer)),
            "scheduled": bindparam("waits", type_=Boolean),
        }
    )
    .returning(job.c.id)
)
MATCHING = (
    select(job.c.id)
    .where(
        has_status(Status.FAILED),
        job.c.error_fingerprint == bindparam("of_group"),
        job.c.finished_at <= bindparam("died_before", type_=Timestamp),
    )
    .order_by(job.c.finished_at.desc(), job.c.id.desc())
    .limit(bindparam("at_most"))
)


@dataclass(frozen=True, slots=True)
class Acted:
    """Which jobs an action moved, and which were no longer in a state to be moved."""

    done: list[UUID]
    skipped: list[UUID]


def replay(
    conn: Connection, *, job_ids: Sequence[UUID], actor: Actor, reason: str | None, now: datetime | None = None
) -> Acted:
    """Queue dead letters again with a fresh budget; ids that somebody else replayed first come back as skipped.

    The audit row is written in the same transaction, and only when something changed (A-52, A-81).
    """
    ids = sorted(set(job_ids))
    failed = [row.id for row in conn.execute(LOCK, {"of_ids": ids}) if row.status == Status.FAILED]
    done = requeue(conn, job_ids=failed, now=now)
    moved = set(done)
    if done:
        record(conn, actor=actor, action="replay", job_ids=done, reason=reason, now=now)
        wakeups.wake(conn, channel=wakeups.JOBS)
    return Acted(done, [each for each in ids if each not in moved])


def requeue(
    conn: Connection, *, job_ids: Sequence[UUID], wait_seconds: int = 0, now: datetime | None = None
) -> list[UUID]:
    """Queue jobs that are locked and failed, due in so many seconds; whoever calls this tells the audit trail."""
    values = {"of_ids": list(job_ids), "wait_seconds": wait_seconds, "waits": wait_seconds > 0, "at_now": now}
    return list(conn.execute(REPLAY, values).scalars())


def matching(conn: Connection, *, fingerprint: str, before: datetime, limit: int = 500) -> list[UUID]:
    """The dead letters of one group that had died by `before`: a set fixed by what was shown (A-53)."""
    values = {"of_group": fingerprint, "died_before": before, "at_most": limit}
    return list(conn.execute(MATCHING, values).scalars())
