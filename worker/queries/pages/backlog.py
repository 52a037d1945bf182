"""What waits, runs and failed for good, counted without ever reading finished work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Row,
    Select,
    Subquery,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
)

from worker.database import for_each, moment
from worker.model import Status
from worker.queries.schema import platform_jobs as job

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

COUNTED = 100_000
"""Rows counted by index alone, per queue: one with more says so."""

HEAD, SHEET = 1_000, 2_000
"""Rows read for what they are: the oldest ready ones of each queue; the next due and the newest dead of all."""


def is_in(status: Status) -> ColumnElement[bool]:
    """The status spelt out in the SQL, so that a prepared statement keeps to the partial index."""
    return job.c.status == literal_column(f"'{status}'")


WAITING = and_(is_in(Status.QUEUED), ~job.c.scheduled)
LATER = and_(is_in(Status.QUEUED), job.c.scheduled)
RUNNING = is_in(Status.RUNNING)
DEAD = is_in(Status.FAILED)


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


@dataclass(frozen=True, slots=True)
class Depths:
    """How many there are: ready by queue, scheduled and dead in all; each at most COUNTED, or a little more."""

    ready: dict[str, int]
    scheduled: int
    dead: int


def _queues() -> CTE:
    """The names of the queues where work waits, one index probe each."""
    names = select(func.min(job.c.queue).label("queue")).where(WAITING).cte("names", recursive=True)
    following = select(func.min(job.c.queue)).where(WAITING, job.c.queue > names.c.queue).scalar_subquery()
    return names.union_all(select(following).where(names.c.queue.is_not(None)))


def _waiting(*columns: ColumnElement[Any], limit: int) -> Subquery:
    """Up to `limit` waiting rows of each queue; the oldest where that is only its head."""
    names = _queues()
    rows = select(*columns).where(WAITING, job.c.queue == names.c.queue).limit(limit)
    rows = rows.order_by(job.c.created_at, job.c.id) if limit <= HEAD else rows
    return for_each(names, rows, key=job.c.id).subquery("waiting")


def open_work(*key: ColumnElement[Any], head: int, sheet: int) -> list[Select[Any]]:
    """Ready, scheduled and dead rows counted by key; `head` of each queue, `sheet` of the others, are read.

    The oldest, the next due and the newest, where that is only a part: else their order costs a sort for nothing.
    """
    ready = _waiting(*key, job.c.available_at, job.c.attempts, limit=head)
    queued = select(*key, job.c.available_at, job.c.attempts).where(LATER)
    due = queued.where(job.c.available_at <= moment()).limit(sheet).subquery("due")
    later = queued.where(job.c.available_at > moment()).limit(sheet)
    dead = select(*key, job.c.finished_at).where(DEAD).limit(sheet)
    if sheet < COUNTED:
        later = later.order_by(job.c.available_at, job.c.id)
        dead = dead.order_by(job.c.finished_at.desc(), job.c.id.desc())
    later_rows, dead_rows = later.subquery("later"), dead.subquery("dead")
    names = [column.name for column in key]
    return [
        counted("ready", ready, names, func.min(ready.c.available_at)),
        counted("ready", due, names, func.min(due.c.available_at)),
        counted("scheduled", later_rows, names, func.min(later_rows.c.available_at)),
        counted("dead", dead_rows, names, func.max(dead_rows.c.finished_at)),
    ]


def counted(kind: str, rows: Subquery, names: list[str], since: ColumnElement[Any]) -> Select[Any]:
    """The rows of one kind, counted by the columns named."""
    key = [rows.c[name] for name in names]
    retrying = func.count().filter(rows.c.attempts > 0) if "attempts" in rows.c else literal_column("0")
    counts = (func.count().label("jobs"), since.label("since"), retrying.label("retrying"))
    return select(literal_column(f"'{kind}'").label("kind"), *key, *counts).group_by(*key)


def _up_to(condition: ColumnElement[bool]) -> Any:
    rows: Select[Any] = select(literal_column("1")).select_from(job).where(condition).limit(COUNTED)
    return select(func.count()).select_from(rows.correlate_except(job).subquery()).scalar_subquery()


KEY = (job.c.queue, job.c.job_type, job.c.handler_key)
OPEN = union_all(*open_work(*KEY, head=HEAD, sheet=SHEET))
OPEN_IN_FULL = union_all(*open_work(*KEY, head=COUNTED, sheet=COUNTED))
_here = (
    select(job.c.job_type, job.c.handler_key, job.c.available_at)
    .where(WAITING, job.c.queue == bindparam("of_queue"))
    .limit(COUNTED)
    .subquery("here")
)
READY_OF = select(
    _here.c.job_type,
    _here.c.handler_key,
    func.count().label("ready"),
    func.min(_here.c.available_at).label("ready_since"),
).group_by(_here.c.job_type, _here.c.handler_key)
_names = _queues()
_due = select(job.c.queue).where(LATER, job.c.available_at <= moment()).limit(SHEET).subquery("due")
READY = union_all(
    select(_names.c.queue, _up_to(and_(WAITING, job.c.queue == _names.c.queue)).label("jobs")).where(
        _names.c.queue.is_not(None)
    ),
    select(_due.c.queue, func.count()).group_by(_due.c.queue),
)
OTHERS = select(_up_to(LATER).label("scheduled"), _up_to(DEAD).label("dead"))


def read(
    conn: Connection, *, held: Iterable[Row[Any]], in_full: bool = False, now: datetime | None = None
) -> tuple[Backlog, ...]:
    """Every queue and handler with open work, among the rows read; `held` are the rows of `fleet.held`.

    In full means up to COUNTED rows of each queue, which takes a tenth of a second where so many wait.
    """
    return told(conn.execute(OPEN_IN_FULL if in_full else OPEN, {"at_now": now}).all(), held)


def in_full(conn: Connection, figures: Figures) -> tuple[Backlog, ...]:
    """What a sample told apart, counted in full, as a tenant's is in any case."""
    return figures.backlog if figures.tenant_id else read(conn, held=figures.held, in_full=True, now=figures.at)


def told(rows: Iterable[Row[Any]], held: Iterable[Row[Any]] = ()) -> tuple[Backlog, ...]:
    """Every queue and handler among rows of `open_work` and of `fleet.held`."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        add(found.setdefault((row.queue, row.job_type, row.handler_key), {}), row)
    for row in held:
        counts = found.setdefault((row.queue, row.job_type, row.handler_key), {})
        counts["running"] = counts.get("running", 0) + row.jobs
    return tuple(_backlogs(found))


def of_queue(conn: Connection, rows: Iterable[Backlog], *, queue: str, deep: bool) -> list[Backlog]:
    """The rows of one queue; where it is deeper than its head, what is ready counted again, up to COUNTED."""
    here = {(each.job_type, each.handler_key): each for each in rows if each.queue == queue}
    if deep:
        for job_type, handler, ready, since in conn.execute(READY_OF, {"of_queue": queue}):
            known = here.get((job_type, handler), Backlog(queue, job_type, handler))
            here[job_type, handler] = replace(known, ready=ready, ready_since=since)
    return list(here.values())


def depths(conn: Connection, *, now: datetime | None = None) -> Depths:
    """The totals, by index alone."""
    ready: dict[str, int] = {}
    for row in conn.execute(READY, {"at_now": now}):
        ready[row.queue] = ready.get(row.queue, 0) + row.jobs
    scheduled, dead = conn.execute(OTHERS).one()
    return Depths(ready, scheduled, dead)


_SINCE = {"ready": "ready_since", "scheduled": "next_due", "dead": "died_at"}


def add(counts: dict[str, Any], row: Row[Any]) -> None:
    """Count a row of `open_work` in."""
    counts[row.kind] = counts.get(row.kind, 0) + row.jobs
    counts["retrying"] = counts.get("retrying", 0) + row.retrying
    if since := _SINCE.get(row.kind):
        counts[since] = min(counts.get(since, row.since), row.since)


def _backlogs(found: dict[tuple[str, str, str], dict[str, Any]]) -> Iterator[Backlog]:
    return (Backlog(*key, **counts) for key, counts in sorted(found.items()))
