"""Progress of a running job, in steps or in percent, written only while its claim stands (A-10)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Integer, Text, and_, bindparam, func, literal, select, true, update

from worker.database import Id, insert, moment, records
from worker.errors import InvalidInput
from worker.model import AttemptOutcome, Job
from worker.queries.fence import is_held, is_running
from worker.queries.schema import job_attempts, job_steps
from worker.queries.schema import platform_jobs as job

_job_id, _generation = bindparam("of_id", type_=Id), bindparam("of_generation", type_=Integer)
_stands = is_running(_job_id, _generation)
_this = and_(
    job_steps.c.job_id == _job_id,
    job_steps.c.generation == _generation,
    job_steps.c.ordinal == bindparam("of_ordinal"),
)

PROGRESS = (
    update(job)
    .where(is_held(_job_id, _generation))
    .values(progress=bindparam("to_progress"), updated_at=moment())
    .returning(job.c.id)
)

# A run closes what the one before it left open, so that it can only be the last one's
_last_run_ended_at = (
    select(func.max(job_attempts.c.finished_at))
    .where(
        job_attempts.c.job_id == _job_id,
        job_attempts.c.generation < _generation,
        job_attempts.c.outcome != AttemptOutcome.RELEASED,
    )
    .scalar_subquery()
)
CLOSE_LOST = (
    update(job_steps)
    .where(
        job_steps.c.job_id == _job_id,
        job_steps.c.generation < _generation,
        job_steps.c.finished_at.is_(None),
    )
    .values(outcome="lost", finished_at=func.coalesce(_last_run_ended_at, moment()))
)
_skipped = records("skipped", ordinal=Integer(), step=Text())
SKIP = insert(job_steps).from_select(
    ["job_id", "generation", "ordinal", "step", "started_at", "finished_at", "outcome"],
    select(job.c.id, job.c.generation, _skipped.c.ordinal, _skipped.c.step, moment(), moment(), literal("skipped"))
    .select_from(job.join(_skipped, true()))
    .where(_stands),
)
START = (
    insert(job_steps)
    .from_select(
        ["job_id", "generation", "ordinal", "step", "started_at"],
        select(
            job.c.id,
            job.c.generation,
            bindparam("of_ordinal", type_=Integer),
            bindparam("of_step", type_=Text),
            moment(),
        ).where(_stands, job.c.cancel_requested_at.is_(None)),
    )
    .returning(job_steps.c.ordinal)
)
STANDS = select(job.c.id).where(_stands)
COMPLETE = (
    update(job)
    .where(_stands)
    .values(steps_completed=bindparam("to_completed"), progress=bindparam("to_progress"), updated_at=moment())
    .returning(job.c.id)
)
FINISH = update(job_steps).where(_this).values(finished_at=moment(), outcome="done")
FAIL = (
    update(job_steps)
    .where(_this, STANDS.exists())
    .values(finished_at=moment(), outcome="failed", error=bindparam("for_error"))
)


def progress(conn: Connection, *, claimed: Job, instance_id: str, percent: float, now: datetime | None = None) -> bool:
    """Record how far the job is, 0 to 100; False when the claim is lost and nothing was written."""
    if not 0 <= percent <= 100:
        raise InvalidInput("progress", "must be from 0 to 100")
    values = {**_claim(claimed, now), "by_instance": instance_id, "to_progress": percent}
    return conn.execute(PROGRESS, values).first() is not None


def resume(conn: Connection, *, claimed: Job, skipped: Sequence[tuple[int, str]], now: datetime | None = None) -> None:
    """Record that these steps need not be taken again, and that those which earlier attempts left open are lost."""
    conn.execute(CLOSE_LOST, _claim(claimed, now))
    if skipped:
        rows = json.dumps([{"ordinal": ordinal, "step": step} for ordinal, step in skipped])
        conn.execute(SKIP, {**_claim(claimed, now), "skipped": rows})


def start(conn: Connection, *, claimed: Job, ordinal: int, step: str, now: datetime | None = None) -> bool:
    """Record that a step begins; False, and nothing written, when a cancel was asked for or the claim is lost."""
    values = {**_claim(claimed, now), "of_ordinal": ordinal, "of_step": step}
    return conn.execute(START, values).first() is not None


def stands(conn: Connection, *, claimed: Job) -> bool:
    """Whether the claim has not been lost."""
    return conn.execute(STANDS, _claim(claimed, None)).first() is not None


def finish(
    conn: Connection,
    *,
    claimed: Job,
    ordinal: int,
    completed: Sequence[str],
    percent: float,
    now: datetime | None = None,
) -> bool:
    """Record that a step is done, which makes `completed` the steps that are; False when the claim is lost.

    To be called in a transaction: job and step tell the same, or nothing is written.
    """
    progressed = {"to_completed": list(completed), "to_progress": round(percent, 2)}
    if conn.execute(COMPLETE, _claim(claimed, now) | progressed).first() is None:
        return False
    conn.execute(FINISH, {**_claim(claimed, now), "of_ordinal": ordinal})
    return True


def fail(conn: Connection, *, claimed: Job, ordinal: int, error: str, now: datetime | None = None) -> None:
    """Record that a step failed, and why; nothing where the claim is lost."""
    conn.execute(FAIL, {**_claim(claimed, now), "of_ordinal": ordinal, "for_error": error})


def _claim(claimed: Job, now: datetime | None) -> dict[str, Any]:
    return {"of_id": claimed.id, "of_generation": claimed.generation, "at_now": now}
