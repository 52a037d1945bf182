"""Progress of a running job, written only by the claim that holds it (A-10)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, update

from worker.database import moment
from worker.errors import InvalidInput
from worker.model import Job, Status
from worker.queries.fence import is_held
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

PROGRESS = (
    update(job)
    .where(
        is_held(bindparam("of_id"), bindparam("of_generation")),
        has_status(Status.RUNNING),
    )
    .values(progress=bindparam("to_progress"), updated_at=moment())
    .returning(job.c.id)
)


def progress(conn: Connection, *, claimed: Job, instance_id: str, percent: float, now: datetime | None = None) -> bool:
    """Record how far the job is, 0 to 100; False when the claim is lost and nothing was written."""
    if not 0 <= percent <= 100:
        raise InvalidInput("progress", "must be from 0 to 100")
    values = {"of_id": claimed.id, "of_generation": claimed.generation, "by_instance": instance_id}
    return conn.execute(PROGRESS, {**values, "to_progress": percent, "at_now": now}).first() is not None
