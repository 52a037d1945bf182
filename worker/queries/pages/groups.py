"""Dead letters by what went wrong: a few probes of an index per group, and a bounded look into each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Text,
    bindparam,
    func,
    literal_column,
    select,
    true,
)

from worker.database import Id, Row, for_each, greatest, moment, optional, seconds, slot_of
from worker.database import tally as tallied
from worker.queries.group_states import OPEN, STATE, GroupState
from worker.queries.pages.backlog import DEAD
from worker.queries.schema import dead_letter_groups as note
from worker.queries.schema import platform_jobs as job

LOOKED_AT, SHOWN = 1_000, 100
COUNTED = 10_000
"""Dead letters counted per group, by index alone: one with more says so."""
SAMPLED = 200
"""The newest of each that are read for their tenants."""
SLOTS = 32

_KEPT = (
    "state_at",
    "state_by",
    "assignee",
    "note",
    "snoozed_until",
    "snooze_rate",
    "resolved_in",
    "split_from",
)
_me = optional("of_me", Text)
_EVERYBODYS = (DEAD,)
_OWN = (DEAD, job.c.tenant_id == bindparam("of_tenant", type_=Id))
"""The dead letters that count: all there are, or in the lens of a tenant those of its own."""
Whose = tuple[ColumnElement[bool], ...]

VIEWS: dict[str, tuple[GroupState, ...]] = {
    "open": OPEN,
    "mine": OPEN,
    "snoozed": (GroupState.SNOOZED,),
    "resolved": (GroupState.RESOLVED,),
    "all": tuple(GroupState),
}
"""Ways to look at the inbox: by state, and of what is open that which is one's own."""

_DAY = seconds(literal_column("86400"))


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
    state: str
    state_at: datetime | None
    state_by: str | None
    assignee: str | None
    note: str | None
    snoozed_until: datetime | None
    snooze_rate: int | None
    resolved_in: str | None
    split_from: str | None
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


def _every_name(whose: Whose) -> CTE:
    """Each fingerprint by a jump from the one before it."""
    fingerprint = job.c.error_fingerprint
    names = select(func.min(fingerprint).label("fingerprint")).where(*whose).cte("names", recursive=True)
    following = select(func.min(fingerprint)).where(*whose, fingerprint > names.c.fingerprint).scalar_subquery()
    return names.union_all(select(following).where(names.c.fingerprint.is_not(None)))


def _members(of: Any, *columns: ColumnElement[Any], whose: Whose, newest: bool = True, limit: int) -> Select[Any]:
    order = (job.c.finished_at.desc(), job.c.id.desc()) if newest else (job.c.finished_at, job.c.id)
    return select(*columns).where(*whose, job.c.error_fingerprint == of).order_by(*order).limit(limit)


def _known(names: Any, whose: Whose) -> Subquery:
    """The newest dead letter of each group, and what people made of the group."""
    looked_at = select(names.c.fingerprint).where(names.c.fingerprint.is_not(None)).limit(LOOKED_AT).subquery("looked")
    columns = (job.c.handler_key, job.c.job_type, job.c.queue, job.c.error_type, job.c.error_summary)
    named = (job.c.error_fingerprint.label("fingerprint"), job.c.finished_at.label("last_at"))
    newest = _members(looked_at.c.fingerprint, *named, *columns, whose=whose, limit=1)
    last = for_each(looked_at, newest, key=job.c.id).subquery("last")
    kept = (note.c[name] for name in _KEPT)
    joined = last.outerjoin(note, note.c.fingerprint == last.c.fingerprint)
    return select(last, *kept, STATE.label("state")).select_from(joined).subquery("known")


def _heads(names: Any, whose: Whose, states: Iterable[GroupState] | None = None, *, mine: bool = False) -> CTE:
    """Of the groups in one of the states, those that grew last, with the time of the first dead letter of each."""
    known = _known(names, whose)
    first_at = _members(known.c.fingerprint, job.c.finished_at, whose=whose, newest=False, limit=1).scalar_subquery()
    heads = select(known, first_at.label("first_at"))
    if states:
        heads = heads.where(known.c.state.in_([literal_column(f"'{state}'", Text) for state in states]))
    if mine:
        heads = heads.where(known.c.assignee == _me)
    return heads.order_by(known.c.last_at.desc(), known.c.fingerprint).limit(SHOWN).cte("heads")


def _counts(heads: CTE, axis: CTE, whose: Whose) -> ColumnElement[Any]:
    """The dead letters of a group by slot of the axis, as one object."""
    newest = _members(heads.c.fingerprint, job.c.finished_at, whose=whose, limit=COUNTED)
    times = newest.correlate(heads).subquery("times")
    slot = slot_of(times.c.finished_at, axis.c.axis_from, moment(), slots=SLOTS)
    grouped = select(slot.label("slot"), func.count().label("jobs")).select_from(times).group_by("slot")
    slots = grouped.correlate(heads, axis).subquery("slots")
    return select(tallied(slots.c.slot, slots.c.jobs)).scalar_subquery()


def _tenants(heads: CTE, whose: Whose) -> ColumnElement[int]:
    some = _members(heads.c.fingerprint, job.c.tenant_id, whose=whose, limit=SAMPLED)
    newest = some.correlate(heads).subquery("newest")
    return select(func.count(newest.c.tenant_id.distinct())).scalar_subquery()


def _groups(heads: CTE, whose: Whose) -> Select[Any]:
    axis = select(greatest(func.min(heads.c.first_at), moment() - _DAY).label("axis_from")).cte("axis")
    counts, tenants = _counts(heads, axis, whose), _tenants(heads, whose)
    return (
        select(heads, axis.c.axis_from, counts.label("slots"), tenants.label("tenants"))
        .select_from(heads.join(axis, true()))
        .order_by(heads.c.last_at.desc(), heads.c.fingerprint)
    )


@cache
def groups_of(view: str, *, own: bool = False) -> Select[Any]:
    """The statement that reads the inbox seen so; one for each view, and each again for a tenant's own."""
    whose = _OWN if own else _EVERYBODYS
    states = None if view == "all" else VIEWS[view]
    return _groups(_heads(_every_name(whose), whose, states, mine=view == "mine"), whose)


@cache
def group_of(*, own: bool = False) -> Select[Any]:
    """The statement that reads a single group."""
    whose = _OWN if own else _EVERYBODYS
    names = select(bindparam("of_group", type_=Text).label("fingerprint")).cte("names")
    return _groups(_heads(names, whose), whose)


@cache
def tally(*, own: bool = False) -> Select[Any]:
    """The statement that counts groups by state."""
    whose = _OWN if own else _EVERYBODYS
    known = _known(_every_name(whose), whose)
    is_mine = func.coalesce(known.c.assignee == _me, literal_column("false"))
    columns = (known.c.state, is_mine.label("mine"))
    return select(*columns, func.count().label("groups")).group_by(*columns)


def read(
    conn: Connection,
    *,
    view: str = "all",
    me: str | None = None,
    tenant_id: UUID | None = None,
    now: datetime | None = None,
) -> list[Group]:
    """The groups seen so that grew last, a hundred at most, the newest first; of one tenant, as far as it is hit."""
    statement = groups_of(view, own=tenant_id is not None)
    return [_group(row) for row in conn.execute(statement, {"at_now": now, "of_me": me, **_of(tenant_id)})]


def tally_of(
    conn: Connection, *, me: str | None = None, tenant_id: UUID | None = None, now: datetime | None = None
) -> Counter[str]:
    """How many groups each view has."""
    found: Counter[str] = Counter()
    for row in conn.execute(tally(own=tenant_id is not None), {"at_now": now, "of_me": me, **_of(tenant_id)}):
        for view, states in VIEWS.items():
            if row.state in states and (row.mine or view != "mine"):
                found[view] += row.groups
    return found


def one(
    conn: Connection, *, fingerprint: str, tenant_id: UUID | None = None, now: datetime | None = None
) -> Group | None:
    """A single group; None when no dead letter has that error any more."""
    values = {"of_group": fingerprint, "at_now": now, **_of(tenant_id)}
    row = conn.execute(group_of(own=tenant_id is not None), values).first()
    return _group(row) if row else None


def _of(tenant_id: UUID | None) -> dict[str, UUID]:
    return {"of_tenant": tenant_id} if tenant_id else {}


def _group(row: Row) -> Group:
    counts = [row.slots.get(str(slot), 0) for slot in range(1, SLOTS + 1)]
    fields = {name: getattr(row, name) for name in Group.__slots__ if name not in ("jobs", "counts")}
    return Group(**fields, jobs=sum(row.slots.values()), counts=counts)
