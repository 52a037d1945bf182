"""What charts show: how many attempts ended in each bar of a span, how long they ran and had waited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    bindparam,
    func,
    select,
)
from sqlalchemy import cast as sql_cast

from worker.database import Row, Timestamp, bin_of
from worker.model import AttemptOutcome
from worker.queries.pages.flow import COMPLETED, DIED, FAILURES, quantile, spelt
from worker.queries.schema import RUN_BUCKETS, WAIT_BUCKETS, statistics_minutes, tenant_statistics_minutes


@dataclass(frozen=True, slots=True)
class Span:
    """How far back charts look, and how much time one bar stands for."""

    key: str
    label: str
    title: str
    slots: int
    width: timedelta

    def starts(self, now: datetime) -> list[datetime]:
        """When each bar begins; the last is the one that runs."""
        seconds = self.width.total_seconds()
        last = datetime.fromtimestamp(now.timestamp() // seconds * seconds, now.tzinfo)
        return [last - self.width * back for back in reversed(range(self.slots))]


SPANS = {
    span.key: span
    for span in (
        Span("1h", "1 h", "Last hour", 60, timedelta(minutes=1)),
        Span("24h", "24 h", "Last day", 72, timedelta(minutes=20)),
        Span("7d", "7 d", "Last week", 84, timedelta(hours=2)),
    )
}
"""The time ranges of every chart, the first unless the address says another."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What ended in one bar: attempts by how they ended, the completed by run time and all of them by wait."""

    at: datetime
    completed: int = 0
    failed: int = 0
    died: int = 0
    runs: tuple[int, ...] = (0,) * len(RUN_BUCKETS)
    waits: tuple[int, ...] = (0,) * len(WAIT_BUCKETS)

    def run_seconds(self, share: float) -> float | None:
        """The run time that this share of the completed attempts stayed below; None where none completed."""
        return quantile(self.runs, share)

    def wait_seconds(self, share: float) -> float | None:
        """How long this share of the attempts had waited at most, once due; None where none ended."""
        return quantile(self.waits, share)


def _sum(column: Column[int], outcomes: tuple[AttemptOutcome, ...] | None = None) -> ColumnElement[int]:
    amount = func.sum(column)
    wanted = amount.filter(column.table.c.outcome.in_(spelt(outcomes))) if outcomes else amount
    return sql_cast(func.coalesce(wanted, 0), BigInteger).label(column.name)


_NARROWED = {"queue": "queue", "handler": "handler_key", "tenant": "tenant_id"}


@cache
def statement(*narrowed: str) -> Select[*tuple[Any, ...]]:
    """The bars of all that ended, or of a queue, a handler, a tenant, or of several of these at once."""
    of = (tenant_statistics_minutes if "tenant" in narrowed else statistics_minutes).c
    slot = bin_of(of.minute, bindparam("slot_seconds", type_=Integer)).label("slot")
    within = of.minute.between(bindparam("first_slot", type_=Timestamp), bindparam("at", type_=Timestamp))
    counts = (_sum(of.jobs, outcomes).label(name) for name, outcomes in _COUNTS.items())
    runs = (_sum(of[name], COMPLETED) for name in RUN_BUCKETS)
    waits = (_sum(of[name]) for name in WAIT_BUCKETS)
    named = (of[_NARROWED[name]] == bindparam(f"of_{name}", type_=of[_NARROWED[name]].type) for name in narrowed)
    return select(slot, *counts, *runs, *waits).where(within, *named).group_by(slot)


_COUNTS = {"completed": COMPLETED, "failed": FAILURES, "died": DIED}


def read(
    conn: Connection,
    span: Span,
    *,
    queue: str | None = None,
    handler: str | None = None,
    tenant_id: UUID | None = None,
    now: datetime,
) -> list[Slot]:
    """Every bar of the span, the empty ones too; of a queue, a handler or a tenant where they are named."""
    names = {"queue": queue, "handler": handler, "tenant": tenant_id}
    narrowed = [name for name, value in names.items() if value is not None]
    starts = span.starts(now)
    values = {"slot_seconds": int(span.width.total_seconds()), "first_slot": starts[0], "at": now}
    values |= {f"of_{name}": names[name] for name in narrowed}
    rows = {row.slot: row for row in conn.execute(statement(*narrowed), values)}
    return [_slot_of(at, rows.get(at)) for at in starts]


def _slot_of(at: datetime, row: Row | None) -> Slot:
    if row is None:
        return Slot(at)
    of = row._mapping
    runs, waits = (tuple(of[name] for name in names) for names in (RUN_BUCKETS, WAIT_BUCKETS))
    return Slot(at, row.completed, row.failed, row.died, runs, waits)
