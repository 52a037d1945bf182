"""What a group of dead letters is called: by what its newest member died of, without the values in it."""

from __future__ import annotations

from sqlalchemy import Connection, Text, bindparam, func, select

from worker.failures import alike
from worker.model import Status
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

MAX_TITLE = 500

TITLE = (
    select(func.coalesce(job.c.error_type, "").label("kind"), job.c.error_alike, job.c.error_summary)
    .where(has_status(Status.FAILED), job.c.error_fingerprint == bindparam("of_group", type_=Text))
    .order_by(job.c.finished_at.desc(), job.c.id.desc())
    .limit(1)
)


def title(conn: Connection, *, fingerprint: str) -> str:
    """One line, fit for the trail; the fingerprint itself where nothing of the group is left."""
    row = conn.execute(TITLE, {"of_group": fingerprint}).first()
    if row is None:
        return fingerprint
    said = row.error_alike or alike(row.error_summary or "")
    return ": ".join(part for part in (row.kind, said) if part)[:MAX_TITLE] or fingerprint
