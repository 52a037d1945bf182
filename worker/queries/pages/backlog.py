"""What waits, runs and failed for good, counted by queue and handler without ever reading finished work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    and_,
    func,
    literal,
    literal_column,
    select,
    true,
    union_all,
)

from worker.database import moment
from worker.model import Status
from worker.queries.schema import platform_jobs as job

COUNTED = 100_000
"""Rows counted per queue; a queue with more says so (`Backlog` sums reach this number)."""

DEAD_COUNTED = 20_000
"""Dead letters counted, the newest ones."""


def _status(status: Status) -> ColumnElement[bool]:
    """Spelt out in the SQL, so that a prepared statement keeps to the partial index."""
    return job.c.status == literal_column(f"'{status}'")


WAITING = and_(_status(Status.QUEUED), ~job.c.scheduled)
LATER = and_(_status(Status.QUEUED), job.c.scheduled)
RUNNING = _status(Status.RUNNING)
DEAD = _status(Status.FAILED)


@dataclass(frozen=True, slots=True)
class Backlog:
    """The open work of one handler on one queue; `retrying` counts within ready and scheduled."""

    queue: str
    job_type: str
    handler_key: str
    ready: int = 0
    ready_since: datetime | None = None
    scheduled: int = 0
    next_due: datetime | None = None
    retrying: int = 0
    running: int = 0
    dead: int = 0
    died_at: datetime | None = None


def queue_names() -> CTE:
    """The names of the queues where work waits, one index probe each."""
    names = select(func.min(job.c.queue).label("queue")).where(WAITING).cte("names", recursive=True)
    following = select(func.min(job.c.queue)).where(WAITING, job.c.queue > names.c.queue).scalar_subquery()
    return names.union_all(select(following).where(names.c.queue.is_not(None)))


def waiting(*columns: ColumnElement[Any]) -> Any:
    """Up to COUNTED waiting rows of each queue, whatever else the table holds."""
    names = queue_names()
    rows = select(job.c.queue, *columns).where(WAITING, job.c.queue == names.c.queue).limit(COUNTED).lateral("waiting")
    return select(rows).select_from(names.join(rows, true())).subquery("waiting_rows")


def _counted(kind: str, rows: Any, since: ColumnElement[Any]) -> Select[Any]:
    retrying = func.count().filter(rows.c.attempts > 0) if "attempts" in rows.c else literal(0, Integer)
    key = (rows.c.queue, rows.c.job_type, rows.c.handler_key)
    return select(
        literal_column(f"'{kind}'").label("kind"),
        *key,
        func.count().label("jobs"),
        since.label("since"),
        retrying.label("retrying"),
    ).group_by(*key)


_key = (job.c.queue, job.c.job_type, job.c.handler_key)
_ready = waiting(job.c.job_type, job.c.handler_key, job.c.available_at, job.c.attempts)
_open = select(*_key, job.c.available_at, job.c.attempts)
_due = _open.where(LATER, job.c.available_at <= moment()).limit(COUNTED).subquery("due")
_later = _open.where(LATER, job.c.available_at > moment()).limit(COUNTED).subquery("later")
_newest_dead = job.c.finished_at.desc(), job.c.id.desc()
_dead = select(*_key, job.c.finished_at).where(DEAD).order_by(*_newest_dead).limit(DEAD_COUNTED).subquery("dead")
OPEN = union_all(
    _counted("ready", _ready, func.min(_ready.c.available_at)),
    _counted("ready", _due, func.min(_due.c.available_at)),
    _counted("scheduled", _later, func.min(_later.c.available_at)),
    _counted("dead", _dead, func.max(_dead.c.finished_at)),
)


def read(conn: Connection, *, held: Iterable[Row[Any]], now: datetime | None = None) -> tuple[Backlog, ...]:
    """Every queue and handler with open work; `held` are the rows of `fleet.held`."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in conn.execute(OPEN, {"at_now": now}):
        counts = found.setdefault((row.queue, row.job_type, row.handler_key), {})
        _add(counts, row)
    for row in held:
        counts = found.setdefault((row.queue, row.job_type, row.handler_key), {})
        counts["running"] = counts.get("running", 0) + row.jobs
    return tuple(Backlog(*key, **counts) for key, counts in sorted(found.items()))


_SINCE = {"ready": "ready_since", "scheduled": "next_due", "dead": "died_at"}


def _add(counts: dict[str, Any], row: Row[Any]) -> None:
    counts[row.kind] = counts.get(row.kind, 0) + row.jobs
    counts["retrying"] = counts.get("retrying", 0) + row.retrying
    since = _SINCE[row.kind]
    counts[since] = min(counts.get(since, row.since), row.since)
