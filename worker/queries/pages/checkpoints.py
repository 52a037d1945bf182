"""What some jobs have done already: runs that came to an end nobody heard of, and steps that are not taken again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, FromClause, func, or_, select

from worker.database import Row
from worker.model import AttemptOutcome, Status
from worker.queries.pages.selection import Chosen
from worker.queries.schema import has_status, job_attempts, job_steps
from worker.queries.schema import platform_jobs as job

LOOKED_AT = 10_000
"""Jobs of a choice that are looked at, the first in its order."""
STEPS_SHOWN = 5
_to_the_end = or_(
    job_attempts.c.outcome == AttemptOutcome.COMPLETED, job_attempts.c.outcome == AttemptOutcome.SUPERSEDED
)


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """How many jobs ran to the end before, and how many took each step, in the order of the steps."""

    ended: int
    steps: Sequence[Row]


def read(conn: Connection, chosen: Chosen, *, now: datetime) -> Checkpoints:
    """What those did that failed or wait, of the first ten thousand."""
    first = chosen.rows.subquery("chosen")
    some = select(first.c.id).limit(LOOKED_AT).subquery("some")
    mine = some.join(job, job.c.id == some.c.id)
    values = {**chosen.values, "at_now": now}
    ended = select(func.count(job_attempts.c.job_id.distinct())).select_from(
        mine.join(job_attempts, job_attempts.c.job_id == some.c.id)
    )
    told = ended.where(has_status(Status.FAILED, Status.QUEUED), _to_the_end)
    return Checkpoints(int(conn.execute(told, values).scalar_one()), _steps(conn, mine, some, values))


def _steps(conn: Connection, mine: FromClause, some: FromClause, values: dict[str, object]) -> Sequence[Row]:
    taken = (
        select(job_steps.c.step, func.count(job_steps.c.job_id.distinct()).label("jobs"))
        .select_from(mine.join(job_steps, job_steps.c.job_id == some.c.id))
        .where(has_status(Status.FAILED, Status.QUEUED), job_steps.c.outcome == "done")
        .group_by(job_steps.c.step)
        .order_by(func.min(job_steps.c.ordinal), job_steps.c.step)
        .limit(STEPS_SHOWN)
    )
    return conn.execute(taken, values).all()
