"""What the samples of the last eight days say: the course of a backlog, and how often a threshold was crossed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    FromClause,
    Integer,
    Select,
    Text,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy import cast as sql_cast

from worker.database import Timestamp, bin_of, records, seconds
from worker.queries.schema import backlog_minutes, finding_minutes, sample_minutes, tenant_backlog_minutes

APART_SECONDS = 300
"""What comes back within this time has not been away: it counts once."""

_NARROWED = {"queue": "queue", "handler": "handler_key", "tenant": "tenant_id"}
_COUNTS = ("ready", "oldest_seconds", "scheduled", "running", "dead")
_since = bindparam("since", type_=Timestamp)
_until = bindparam("until", type_=Timestamp)
_width = bindparam("slot_seconds", type_=Integer)


LOOKS = select(func.count()).where(sample_minutes.c.minute >= _since, sample_minutes.c.minute <= _until)
_seen = select(sample_minutes).where(sample_minutes.c.minute >= _since, sample_minutes.c.minute <= _until)


def _most_of_each_slot(minutes: FromClause) -> Select[Any]:
    slot = bin_of(minutes.c.minute, _width).label("slot")
    most: list[ColumnElement[Any]] = [sql_cast(func.max(minutes.c[name]), Integer).label(name) for name in _COUNTS]
    return select(slot, *most).group_by(slot)


TOTALS = _most_of_each_slot(_seen.subquery("each_minute"))
_slot = bin_of(sample_minutes.c.minute, _width).label("slot")
SLOTS = select(_slot).where(sample_minutes.c.minute >= _since, sample_minutes.c.minute <= _until).group_by(_slot)
TENANT_SLOTS = SLOTS.having(func.min(case((sample_minutes.c.tenants_in_full, 1), else_=0)) == 1)

_LIMITS = records("limits", kind=Text(), at_least=Float())
_over = (
    select(
        finding_minutes.c.kind,
        finding_minutes.c.minute,
        func.lag(finding_minutes.c.minute)
        .over(partition_by=finding_minutes.c.kind, order_by=finding_minutes.c.minute)
        .label("before"),
    )
    .select_from(_LIMITS.join(finding_minutes, finding_minutes.c.kind == _LIMITS.c.kind))
    .where(finding_minutes.c.minute >= _since, finding_minutes.c.value >= _LIMITS.c.at_least)
    .subquery("over_limit")
)
FIRED = (
    select(_over.c.kind, func.count().label("times"))
    .where(or_(_over.c.before.is_(None), _over.c.minute > _over.c.before + seconds(literal(APART_SECONDS))))
    .group_by(_over.c.kind)
)


@dataclass(frozen=True, slots=True)
class Depth:
    """What was open in one slot: the most that was seen in any minute of it."""

    at: datetime
    ready: int = 0
    oldest_seconds: int = 0
    scheduled: int = 0
    running: int = 0
    dead: int = 0


def backlog(
    conn: Connection,
    *,
    since: datetime,
    until: datetime,
    slot_seconds: int,
    queue: str | None = None,
    handler_key: str | None = None,
    tenant_id: UUID | None = None,
) -> list[Depth]:
    """Slot by slot, aligned to the epoch, the oldest first; a slot that nobody looked at is left out.

    Of a queue, of a handler, of a tenant, of several of these at once, or of everything. Of a tenant, one in which
    not all tenants were kept is left out, too, unless this one was.
    """
    values: dict[str, Any] = {"since": since, "until": until, "slot_seconds": slot_seconds}
    names = {"queue": queue, "handler": handler_key, "tenant": tenant_id}
    narrowed = {name: value for name, value in names.items() if value is not None}
    if not narrowed:
        return sorted((Depth(*row) for row in conn.execute(TOTALS, values)), key=lambda depth: depth.at)
    values |= {f"of_{name}": value for name, value in narrowed.items()}
    found = {row.slot: Depth(*row) for row in conn.execute(_of_pairs(*narrowed), values)}
    looks = conn.execute(TENANT_SLOTS if tenant_id else SLOTS, values).scalars()
    return [found.get(at, Depth(at)) for at in sorted({*looks, *found})]


def fired(conn: Connection, thresholds: Mapping[str, float], *, since: datetime) -> dict[str, int]:
    """How often each kind of trouble reached its threshold anew; those that never did are left out."""
    limits = json.dumps([{"kind": kind, "at_least": value} for kind, value in thresholds.items()])
    return {row.kind: row.times for row in conn.execute(FIRED, {"limits": limits, "since": since})}


def watched(conn: Connection, *, since: datetime, until: datetime) -> timedelta:
    """For how much of that time there are samples."""
    return timedelta(minutes=conn.execute(LOOKS, {"since": since, "until": until}).scalar_one())


@cache
def _of_pairs(*narrowed: str) -> Select[Any]:
    """Summed over the pairs of a minute; the oldest is the oldest of them all."""
    pair = (tenant_backlog_minutes if "tenant" in narrowed else backlog_minutes).c
    wanted = [
        pair[column] == bindparam(f"of_{name}", type_=pair[column].type)
        for name, column in _NARROWED.items()
        if name in narrowed
    ]
    sums = [(func.max if name == "oldest_seconds" else func.sum)(pair[name]).label(name) for name in _COUNTS]
    rows = select(pair.minute, *sums).where(pair.minute >= _since, pair.minute <= _until, *wanted)
    return _most_of_each_slot(rows.group_by(pair.minute).subquery("each_minute"))
