"""Dead letters by what went wrong: a few probes of an index per group, and a bounded look into each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Text,
    bindparam,
    func,
    literal_column,
    select,
    true,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.sql.selectable import LateralFromClause

from worker.database import Row, moment
from worker.queries.pages.backlog import DEAD
from worker.queries.schema import dead_letter_groups as note
from worker.queries.schema import platform_jobs as job

LOOKED_AT, SHOWN = 1_000, 100
COUNTED = 10_000
"""Dead letters counted per group, by index alone: one with more says so."""
SAMPLED = 200
"""The newest of each that are read for their tenants."""
SLOTS = 32

_DAY: ColumnElement[timedelta] = literal_column("interval '1 day'")


@dataclass(frozen=True, slots=True)
class Group:
    """One error; `counts` are its dead letters per slot of the axis that all groups of an inbox share."""

    fingerprint: str
    handler_key: str
    job_type: str
    queue: str
    error_type: str | None
    error_summary: str | None
    jobs: int
    tenants: int
    first_at: datetime
    last_at: datetime
    assignee: str | None
    note: str | None
    axis_from: datetime
    counts: Sequence[int]

    @property
    def capped(self) -> bool:
        """Whether there are more than were counted."""
        return self.jobs >= COUNTED

    @property
    def sampled(self) -> bool:
        """Whether tenants were looked for among the newest only."""
        return self.jobs > SAMPLED


def _every_name() -> CTE:
    """Each fingerprint by a jump from the one before it."""
    fingerprint = job.c.error_fingerprint
    names = select(func.min(fingerprint).label("fingerprint")).where(DEAD).cte("names", recursive=True)
    following = select(func.min(fingerprint)).where(DEAD, fingerprint > names.c.fingerprint).scalar_subquery()
    return names.union_all(select(following).where(names.c.fingerprint.is_not(None)))


def _members(of: Any, *columns: ColumnElement[Any], newest: bool = True, limit: int) -> Select[Any]:
    order = (job.c.finished_at.desc(), job.c.id.desc()) if newest else (job.c.finished_at, job.c.id)
    return select(*columns).where(DEAD, job.c.error_fingerprint == of).order_by(*order).limit(limit)


def _heads(names: Any) -> CTE:
    """The newest dead letter of each group and the time of its first; of the groups, those that grew last."""
    looked_at = select(names.c.fingerprint).where(names.c.fingerprint.is_not(None)).limit(LOOKED_AT).subquery("looked")
    columns = (job.c.handler_key, job.c.job_type, job.c.queue, job.c.error_type, job.c.error_summary)
    of = looked_at.c.fingerprint
    last = _members(of, job.c.finished_at.label("last_at"), *columns, limit=1).lateral("last")
    first = _members(of, job.c.finished_at.label("first_at"), newest=False, limit=1).lateral("first")
    heads = select(of, last, first).select_from(looked_at.join(last, true()).join(first, true()))
    return heads.order_by(last.c.last_at.desc(), of).limit(SHOWN).cte("heads")


def _counts(heads: CTE, axis: CTE) -> LateralFromClause:
    times = _members(heads.c.fingerprint, job.c.finished_at, limit=COUNTED).correlate(heads).subquery("times")
    at, begin, end = (func.extract("epoch", each) for each in (times.c.finished_at, axis.c.axis_from, moment()))
    slot = func.least(func.width_bucket(at, begin, func.greatest(end, begin + 1), SLOTS), SLOTS)
    grouped = select(slot.label("slot"), func.count().label("jobs")).select_from(times).group_by("slot")
    slots = grouped.correlate(heads, axis).subquery("slots")
    return select(
        sql_cast(func.sum(slots.c.jobs), Integer).label("jobs"),
        func.array_agg(slots.c.slot).label("slots"),
        func.array_agg(slots.c.jobs).label("counts"),
    ).lateral("counted")


def _sample(heads: CTE) -> LateralFromClause:
    newest = _members(heads.c.fingerprint, job.c.tenant_id, limit=SAMPLED).correlate(heads).subquery("newest")
    return select(func.count(newest.c.tenant_id.distinct()).label("tenants")).lateral("sampled")


def _groups(names: Any) -> Select[Any]:
    heads = _heads(names)
    axis = select(func.greatest(func.min(heads.c.first_at), moment() - _DAY).label("axis_from")).cte("axis")
    counts, sample = _counts(heads, axis), _sample(heads)
    rows = heads.join(axis, true()).join(counts, true()).join(sample, true())
    rows = rows.outerjoin(note, note.c.fingerprint == heads.c.fingerprint)
    return (
        select(heads, axis.c.axis_from, counts, sample.c.tenants, note.c.assignee, note.c.note)
        .select_from(rows)
        .order_by(heads.c.last_at.desc(), heads.c.fingerprint)
    )


GROUPS = _groups(_every_name())
GROUP = _groups(select(bindparam("of_group", type_=Text).label("fingerprint")).cte("names"))


def read(conn: Connection, *, now: datetime | None = None) -> list[Group]:
    """The groups that grew last, a hundred at most, the newest first."""
    return [_group(row) for row in conn.execute(GROUPS, {"at_now": now})]


def one(conn: Connection, *, fingerprint: str, now: datetime | None = None) -> Group | None:
    """A single group; None when no dead letter has that error any more."""
    row = conn.execute(GROUP, {"of_group": fingerprint, "at_now": now}).first()
    return _group(row) if row else None


def _group(row: Row) -> Group:
    found = dict(zip(row.slots, row.counts, strict=True))
    counts = [found.get(slot, 0) for slot in range(1, SLOTS + 1)]
    fields = {name: getattr(row, name) for name in Group.__slots__ if name != "counts"}
    return Group(**fields, counts=counts)
