"""What is seen once a minute and kept for eight days: the backlog of each pair, of each tenant, and every trouble.

A page that tells of the past reads these; none reads finished jobs for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Connection, Float, Integer, Text, bindparam, delete, func, literal, select

from worker.database import Bytewise, Id, insert, minute_of, moment, records, seconds
from worker.queries.schema import (
    backlog_minutes,
    finding_minutes,
    sample_minutes,
    tenant_backlog_minutes,
)

KEPT_DAYS = 8
MOST_PAIRS = 200
"""Pairs of a queue and a handler kept of one minute, the deepest first, so that eight days of them stay bounded."""
MOST_TENANT_PAIRS = 500
"""The same of all tenants together; of a minute that had more, what is missing is not known rather than nothing."""

_MINUTE = minute_of(moment())
_COUNTS = ("ready", "oldest_seconds", "scheduled", "running", "dead")

LOOK = (
    insert(sample_minutes)
    .values(
        minute=_MINUTE,
        tenants_in_full=bindparam("in_full", type_=Boolean),
        **{name: bindparam(f"all_{name}", type_=Integer) for name in _COUNTS},
    )
    .on_conflict_do_nothing(index_elements=["minute"])
    .returning(sample_minutes.c.minute)
)
SEEN = select(sample_minutes.c.minute).where(sample_minutes.c.minute == _MINUTE)
_PAIRS = records("pairs", queue=Bytewise, handler_key=Text(), **dict.fromkeys(_COUNTS, Integer()))
ADD_PAIRS = insert(backlog_minutes).from_select(
    ["minute", "queue", "handler_key", *_COUNTS], select(_MINUTE, *_PAIRS.c)
)  # fmt: skip
_TENANT_PAIRS = records(
    "pairs", tenant_id=Id, queue=Bytewise, handler_key=Text(), **dict.fromkeys(_COUNTS, Integer())
)  # fmt: skip
ADD_TENANT_PAIRS = insert(tenant_backlog_minutes).from_select(
    ["minute", "tenant_id", "queue", "handler_key", *_COUNTS], select(_MINUTE, *_TENANT_PAIRS.c)
)  # fmt: skip
_FINDINGS = records("findings", kind=Text(), value=Float())
ADD_FINDINGS = insert(finding_minutes).from_select(["minute", "kind", "value"], select(_MINUTE, *_FINDINGS.c))

_before = moment() - seconds(literal(KEPT_DAYS * 86_400))
# An hour at a time: no pass is long, also after a long pause
PRUNE = tuple(
    delete(table).where(
        table.c.minute < _before,
        table.c.minute < select(func.min(table.c.minute)).scalar_subquery() + seconds(literal(3600)),
    )
    for table in (backlog_minutes, tenant_backlog_minutes, finding_minutes, sample_minutes)
)


@dataclass(frozen=True, slots=True)
class Pair:
    """What is open of one handler on one queue."""

    queue: str
    handler_key: str
    ready: int = 0
    oldest_seconds: int = 0
    scheduled: int = 0
    running: int = 0
    dead: int = 0


@dataclass(frozen=True, slots=True)
class TenantPair:
    """The part of it that is one tenant's."""

    tenant_id: UUID
    of: Pair


@dataclass(frozen=True, slots=True)
class Sample:
    """What one look found; a kind of trouble whose value is 0 is not kept.

    Tenants are not in full where a queue is deeper than what is told apart: what is theirs may lie beyond that.
    """

    ready: int = 0
    oldest_seconds: int = 0
    scheduled: int = 0
    running: int = 0
    dead: int = 0
    pairs: Sequence[Pair] = ()
    tenants: Sequence[TenantPair] = ()
    tenants_in_full: bool = True
    findings: Mapping[str, float] = field(default_factory=dict)


def is_due(conn: Connection, *, now: datetime | None = None) -> bool:
    """Whether nobody has looked in this minute."""
    return conn.execute(SEEN, {"at_now": now}).first() is None


def write(conn: Connection, sample: Sample, *, now: datetime | None = None) -> bool:
    """Keep it as that of this minute, unless another process was first; call it in a transaction."""
    totals = {f"all_{name}": getattr(sample, name) for name in _COUNTS}
    in_full = sample.tenants_in_full and len(sample.tenants) <= MOST_TENANT_PAIRS
    if conn.execute(LOOK, {**totals, "in_full": in_full, "at_now": now}).first() is None:
        return False
    deepest = sorted(sample.pairs, key=_depth)[:MOST_PAIRS]
    conn.execute(ADD_PAIRS, {"pairs": json.dumps([asdict(each) for each in deepest]), "at_now": now})
    if sample.tenants:
        theirs = sorted(sample.tenants, key=lambda each: _depth(each.of))[:MOST_TENANT_PAIRS]
        conn.execute(ADD_TENANT_PAIRS, {"pairs": json.dumps([_of_tenant(each) for each in theirs]), "at_now": now})
    found = [{"kind": kind, "value": value} for kind, value in sorted(sample.findings.items()) if value > 0]
    conn.execute(ADD_FINDINGS, {"findings": json.dumps(found), "at_now": now})
    return True


def _depth(pair: Pair) -> tuple[int, int]:
    return -pair.ready - pair.running, -pair.dead


def _of_tenant(pair: TenantPair) -> dict[str, Any]:
    return {"tenant_id": str(pair.tenant_id), **asdict(pair.of)}


def prune(conn: Connection, *, now: datetime | None = None) -> int:
    """Forget the oldest hour that is past its time; how many rows went."""
    return sum(conn.execute(each, {"at_now": now}).rowcount for each in PRUNE)
