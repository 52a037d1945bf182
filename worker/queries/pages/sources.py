"""Which index a list of jobs walks, and which of its filters are left to sift row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, func, literal, literal_column, or_, select
from sqlalchemy import cast as sql_cast

from worker.database import inside, lowered, position
from worker.model import Status
from worker.queries.pages import cursors
from worker.queries.pages.filters import Filters, instant
from worker.queries.pages.keyset import Listing, Order
from worker.queries.pages.states import CONDITIONS, State
from worker.queries.schema import operator_action_jobs, worker_instances
from worker.queries.schema import platform_jobs as job


def uuid(value: object) -> UUID:
    """An id in a cursor."""
    return UUID(cursors.name(value))


_IN_TIME = (cursors.instant, uuid)
NEWEST = Order((job.c.created_at, job.c.id), _IN_TIME)
DIED_LAST = Order((job.c.finished_at, job.c.id), _IN_TIME)
STARTED_LAST = Order((job.c.locked_at, job.c.id), _IN_TIME)
DUE_FIRST = Order((job.c.available_at, job.c.id), _IN_TIME, descending=False)
_BY = {"created": NEWEST, "ended": DIED_LAST, "started": STARTED_LAST, "due": DUE_FIRST}
AS_CLAIMED = Order((job.c.queue, job.c.created_at, job.c.id), (cursors.name, *_IN_TIME), descending=False)

_FEW = ("action", "event", "key")
"""Filters that leave so few rows that they need no order of their own."""

_WALKS: dict[str | None, tuple[Order, frozenset[str]]] = {
    Status.FAILED: (DIED_LAST, frozenset({"status", "group"})),
    Status.RUNNING: (STARTED_LAST, frozenset({"status", "worker"})),
    State.READY: (AS_CLAIMED, frozenset({"status", "queue"})),
    State.SCHEDULED: (DUE_FIRST, frozenset({"status"})),
    State.RETRYING: (DUE_FIRST, frozenset({"later"})),
}
_ALL = (NEWEST, frozenset({"tenant", "since", "until"}))
# What is open of one tenant has indexes of its own, however much others have; what is due of it is not told apart there
_OF_TENANT: dict[str | None, tuple[Order, frozenset[str]]] = {
    Status.FAILED: _WALKS[Status.FAILED],
    State.READY: _WALKS[State.SCHEDULED],
    State.SCHEDULED: _WALKS[State.SCHEDULED],
    State.RETRYING: _WALKS[State.RETRYING],
}


def order(filters: Filters) -> Order:
    """How the list is sorted."""
    return _walk(filters)[0]


def listing(
    filters: Filters, columns: Sequence[ColumnElement[Any]], *, tenant_id: UUID | None, now: datetime
) -> Listing:
    """The walk along the index that leaves the least to sift."""
    sorted_by, walked = _walk(filters)
    conditions = _conditions(filters, tenant_id, now)
    search = [condition for name, condition in conditions.items() if name not in walked]
    where = [condition for name, condition in conditions.items() if name in walked]
    return Listing(columns, tuple(where), sorted_by, tuple(search), costly=bool(filters.payload))


def _walk(filters: Filters) -> tuple[Order, frozenset[str]]:
    few = next((name for name in _FEW if getattr(filters, name) is not None), None)
    natural, walked = (NEWEST, frozenset({few})) if few else _natural(filters)
    if filters.sort is None:
        return natural, walked
    asked = replace(_BY[filters.sort.removeprefix("-")], descending=filters.sort.startswith("-"))
    return (asked, walked) if few or asked.key == natural.key else (asked, _ALL[1])


def _natural(filters: Filters) -> tuple[Order, frozenset[str]]:
    if filters.tenant and filters.status in _OF_TENANT:
        natural, walked = _OF_TENANT[filters.status]
        return natural, walked | {"tenant"}
    return _WALKS.get(filters.status, _ALL)


def _conditions(filters: Filters, tenant_id: UUID | None, now: datetime) -> dict[str, ColumnElement[bool]]:
    asked: dict[str, ColumnElement[bool] | None] = {
        "later": CONDITIONS[State.SCHEDULED] if filters.status == State.RETRYING else None,
        "status": _in_state(filters.status),
        "group": _equal(job.c.error_fingerprint, filters.group),
        "worker": _held_by(filters.worker) if filters.worker else None,
        "queue": _equal(job.c.queue, filters.queue),
        "tenant": _equal(job.c.tenant_id, tenant_id),
        "type": or_(job.c.handler_key == filters.type, job.c.job_type == filters.type) if filters.type else None,
        "event": _equal(job.c.event_id, filters.event),
        "key": job.c.id.in_(of_key(filters.key)) if filters.key else None,
        "action": job.c.id.in_(_of_action(filters.action)) if filters.action is not None else None,
        "since": job.c.created_at >= instant(filters.since, field="since", now=now) if filters.since else None,
        "until": job.c.created_at < instant(filters.until, field="until", now=now) if filters.until else None,
    }
    said = {f"error {place}": _says(word) for place, word in enumerate(filters.error)}
    held = {f"payload {path}": inside(job.c.payload, path.split(".")) == value for path, value in filters.payload}
    return {name: condition for name, condition in {**asked, **said, **held}.items() if condition is not None}


def _in_state(status: str | None) -> ColumnElement[bool] | None:
    """What is left to look at in each row; that a retrying job is due later is asked for by itself."""
    if status == State.RETRYING:
        return job.c.attempts > 0
    return CONDITIONS[status] if status else None


def _equal(column: ColumnElement[Any], value: Any) -> ColumnElement[bool] | None:
    return None if value is None else column == value


def _says(word: str) -> ColumnElement[bool]:
    """Whether the error has the word, whatever its case; a word has no wildcards."""
    kind, summary = (func.coalesce(column, "", type_=Text) for column in (job.c.error_type, job.c.error_summary))
    return position(lowered(kind + ": " + summary), lowered(literal(word))) > 0


def _held_by(worker: str) -> ColumnElement[bool]:
    instance = worker_instances.c
    named = select(instance.instance_id).where(or_(instance.instance_id == worker, instance.component == worker))
    return or_(job.c.locked_by == worker, job.c.locked_by.in_(named))


def _of_action(number: int) -> Any:
    return select(operator_action_jobs.c.job_id).where(operator_action_jobs.c.action_id == number)


def of_key(key: Any) -> Any:
    """The jobs of an idempotency key, whosever it is: the index leads with the tenant, so each is asked in turn."""
    owner = func.coalesce(sql_cast(job.c.tenant_id, Text), literal_column("''"))
    keyed = job.c.idempotency_key.is_not(None)
    owners = select(func.min(owner).label("owner")).where(keyed).cte("owners", recursive=True)
    following = select(func.min(owner)).where(keyed, owner > owners.c.owner).scalar_subquery()
    owners = owners.union_all(select(following).where(owners.c.owner.is_not(None)))
    rows = job.alias("keyed")
    its_owner = func.coalesce(sql_cast(rows.c.tenant_id, Text), literal_column("''"))
    return select(rows.c.id).where(its_owner == owners.c.owner, rows.c.idempotency_key == key)
