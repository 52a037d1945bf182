"""How fast work comes and goes, from the statistics of the last hour and the newest rows; never from history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Integer, Select, Text, bindparam, func, literal_column, select
from sqlalchemy import cast as sql_cast

from worker.database import Id, Timestamp, bin_of, grouped_by
from worker.model import AttemptOutcome
from worker.queries.schema import BUCKETS_MS, RUN_BUCKETS
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import statistics_minutes as minutes
from worker.queries.schema import tenant_statistics_minutes as tenant_minutes

MINUTES = 60
RECENT = timedelta(minutes=5)
ARRIVALS_READ = 10_000
"""Newest rows read for the arrival rate: where more came, the rate is taken over the shorter time they span."""

COMPLETED = (AttemptOutcome.COMPLETED,)
FINAL = (AttemptOutcome.COMPLETED, AttemptOutcome.DEAD_LETTER, AttemptOutcome.CANCELLED)
FAILURES = (AttemptOutcome.FAILED, AttemptOutcome.DEAD_LETTER, AttemptOutcome.LEASE_EXPIRED)
DIED = (AttemptOutcome.DEAD_LETTER,)


def total(column: ColumnElement[Any], wanted: ColumnElement[bool] | None = None) -> ColumnElement[int]:
    """The sum of a counter, over the rows wanted, as a whole number."""
    amount = func.sum(column) if wanted is None else func.sum(column).filter(wanted)
    return sql_cast(func.coalesce(amount, 0), Integer)


def spelt(outcomes: Sequence[AttemptOutcome]) -> list[ColumnElement[str]]:
    """The outcomes written out: a list of values would be bound anew in each of a statement's sums."""
    return [literal_column(f"'{outcome}'", Text) for outcome in outcomes]


@cache
def hour(*, of_tenant: bool = False) -> Select[Any]:
    """What ended in the last hour: by minute, by slice and queue, and by queue and handler; of all or of a tenant."""
    of = (tenant_minutes if of_tenant else minutes).c
    recent = of.minute >= bindparam("recent_minute", type_=Timestamp)
    slice_ = bin_of(of.minute, literal_column("300")).label("slice")
    runs = (total(of[name], of.outcome == AttemptOutcome.COMPLETED).label(name) for name in RUN_BUCKETS)
    read = select(
        of.minute,
        slice_,
        of.queue,
        of.handler_key,
        total(of.jobs, of.outcome.in_(spelt(COMPLETED))).label("completed"),
        total(of.jobs, of.outcome.in_(spelt(FAILURES))).label("failed"),
        total(of.jobs, of.outcome.in_(spelt(DIED))).label("died"),
        total(of.jobs).label("attempts"),
        total(of.run_ms).label("run_ms"),
        total(of.wait_ms).label("wait_ms"),
        total(of.jobs, recent & of.outcome.in_(spelt(FINAL))).label("finished_recently"),
        total(of.jobs, recent & of.outcome.in_(spelt(FAILURES))).label("failed_recently"),
        total(of.jobs, recent).label("attempts_recently"),
        *runs,
    ).where(of.minute.between(bindparam("first_minute", type_=Timestamp), bindparam("last_minute", type_=Timestamp)))
    read = read.where(of.tenant_id == bindparam("of_tenant", type_=Id)) if of_tenant else read
    return grouped_by(read, [of.minute], [slice_, of.queue], (of.queue, of.handler_key))


@cache
def arrived(*, of_tenant: bool = False) -> Select[Any]:
    """How many of the newest jobs there are on each queue, by handler, and the time they span."""
    newest = (
        select(job.c.queue, job.c.handler_key, job.c.created_at)
        .where(job.c.created_at >= bindparam("recent_minute", type_=Timestamp))
        .where(job.c.created_at <= bindparam("at_now", type_=Timestamp))
        .order_by(job.c.created_at.desc(), job.c.id.desc())
        .limit(ARRIVALS_READ)
    )
    newest = newest.where(job.c.tenant_id == bindparam("of_tenant", type_=Id)) if of_tenant else newest
    of = newest.subquery("newest").c
    since, until = func.min(of.created_at).label("since"), func.max(of.created_at).label("until")
    return select(of.queue, of.handler_key, func.count().label("jobs"), since, until).group_by(of.queue, of.handler_key)


@dataclass(frozen=True, slots=True)
class Flow:
    """Jobs per minute of one handler on one queue, and the run times of the last hour by bucket."""

    queue: str
    handler_key: str
    arrived: float = 0
    finished: float = 0
    failed: float = 0
    attempts: float = 0
    runs: tuple[int, ...] = (0,) * len(RUN_BUCKETS)


@dataclass(frozen=True, slots=True)
class Minute:
    """What ended in one minute: attempts by how they ended, and how long they had run and waited in sum."""

    at: datetime
    completed: int = 0
    failed: int = 0
    died: int = 0
    attempts: int = 0
    run_ms: int = 0
    wait_ms: int = 0

    @property
    def wait_seconds(self) -> float:
        """How long the jobs had waited on average."""
        return self.wait_ms / max(self.attempts, 1) / 1000

    @property
    def busy(self) -> float:
        """How many ran at once on average, by what ended."""
        return self.run_ms / 60_000


@dataclass(frozen=True, slots=True)
class Hour:
    """The last hour: every pair that moved, each minute, and each queue in slices of five minutes."""

    flows: tuple[Flow, ...]
    minutes: tuple[Minute, ...]
    slices: dict[str, tuple[int, ...]]
    newest_at: datetime | None


def read(conn: Connection, *, now: datetime, tenant_id: UUID | None = None) -> Hour:
    """The rates of the last five minutes and the course of the last sixty, of everything or of one tenant."""
    minute = now.replace(second=0, microsecond=0)
    first, recent = minute - timedelta(minutes=MINUTES - 1), minute - RECENT
    of_tenant = tenant_id is not None
    values: dict[str, Any] = {"first_minute": first, "last_minute": minute, "recent_minute": recent, "at_now": now}
    values |= {"of_tenant": tenant_id} if of_tenant else {}
    rows = conn.execute(hour(of_tenant=of_tenant), values).all()
    came, newest_at = _rates(conn.execute(arrived(of_tenant=of_tenant), values).all(), recent, now)
    by_minute = {row.minute: row for row in rows if row.minute is not None}
    pairs = {(row.queue, row.handler_key): row for row in rows if row.handler_key is not None}
    elapsed = (now - recent).total_seconds() / 60
    return Hour(
        flows=tuple(_flow(pair, pairs.get(pair), came.get(pair, 0), elapsed) for pair in sorted(pairs | came)),
        minutes=tuple(_minute(first + timedelta(minutes=i), by_minute) for i in range(MINUTES)),
        slices=_slices((row for row in rows if row.slice is not None), first),
        newest_at=newest_at,
    )


def _rates(
    rows: Sequence[Any], recent: datetime, now: datetime
) -> tuple[dict[tuple[str, str], float], datetime | None]:
    cut = sum(row.jobs for row in rows) >= ARRIVALS_READ
    since = min(row.since for row in rows) if cut else recent
    span = max((now - since).total_seconds(), 1) / 60
    rates = {(row.queue, row.handler_key): row.jobs / span for row in rows}
    return rates, max((row.until for row in rows), default=None)


def _flow(pair: tuple[str, str], row: Any, arrived: float, minutes_elapsed: float) -> Flow:
    if row is None:
        return Flow(*pair, arrived=arrived)
    return Flow(
        *pair,
        arrived=arrived,
        finished=row.finished_recently / minutes_elapsed,
        failed=row.failed_recently / minutes_elapsed,
        attempts=row.attempts_recently / minutes_elapsed,
        runs=tuple(row._mapping[name] for name in RUN_BUCKETS),
    )


def _minute(at: datetime, rows: dict[datetime, Any]) -> Minute:
    row = rows.get(at)
    if row is None:
        return Minute(at)
    return Minute(at, row.completed, row.failed, row.died, row.attempts, row.run_ms, row.wait_ms)


def _slices(rows: Iterable[Any], first: datetime) -> dict[str, tuple[int, ...]]:
    start = first - timedelta(minutes=first.minute % 5)
    found: dict[str, list[int]] = {}
    for row in rows:
        course = found.setdefault(row.queue, [0] * (MINUTES // 5 + 1))
        course[int((row.slice - start) / RECENT)] = row.completed
    return {queue: tuple(course) for queue, course in found.items()}


def quantile(counts: Sequence[int], share: float) -> float | None:
    """The run time in seconds below which that share of the counted runs lies, straight between two bounds.

    None when nothing ran; what is longer than the last bound is given as that bound.
    """
    wanted, passed, lower = share * sum(counts), 0, 0
    if not wanted:
        return None
    for count, upper in zip(counts, BUCKETS_MS, strict=False):
        if passed + count >= wanted:
            return (lower + (upper - lower) * (wanted - passed) / count) / 1000
        passed, lower = passed + count, upper
    return BUCKETS_MS[-1] / 1000
