"""What attempts came to in a window of hours, by queue and handler; from the statistics, never from history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, func, select
from sqlalchemy import cast as sql_cast

from worker.database import Row, Timestamp
from worker.model import AttemptOutcome
from worker.queries.pages.flow import quantile
from worker.queries.schema import BUCKETS_MS, RUN_BUCKETS
from worker.queries.schema import statistics_minutes as minutes

OUTCOMES = {
    "succeeded": AttemptOutcome.COMPLETED,
    "failed": AttemptOutcome.FAILED,
    "dead_lettered": AttemptOutcome.DEAD_LETTER,
    "cancelled": AttemptOutcome.CANCELLED,
    "abandoned": AttemptOutcome.ABANDONED,
    "lease_expired": AttemptOutcome.LEASE_EXPIRED,
    "superseded": AttemptOutcome.SUPERSEDED,
}
DURATIONS_MS = {
    "up_to_100ms": 100,
    "up_to_1s": 1_000,
    "up_to_10s": 10_000,
    "up_to_100s": 100_000,
    "up_to_5m": 300_000,
}
"""Bounds that the stored histogram has too, so that nothing is guessed; one minute is none of them."""


def _sum(column: ColumnElement[int], outcome: AttemptOutcome) -> ColumnElement[int]:
    """A counter over the attempts of one outcome; in 64 bits, for a day of busy workers overflows 32."""
    return sql_cast(func.coalesce(func.sum(column).filter(minutes.c.outcome == outcome), 0), BigInteger)


ENDED = (
    select(
        minutes.c.queue,
        minutes.c.handler_key,
        *(_sum(minutes.c.jobs, outcome).label(name) for name, outcome in OUTCOMES.items()),
        *(_sum(minutes.c[name], AttemptOutcome.COMPLETED).label(name) for name in ("run_ms", *RUN_BUCKETS)),
    )
    # Both ends, for a plan that knows no values takes a range for narrow only when it has two
    .where(minutes.c.minute.between(bindparam("first_minute", type_=Timestamp), bindparam("at", type_=Timestamp)))
    .group_by(minutes.c.queue, minutes.c.handler_key)
)


@dataclass(frozen=True, slots=True)
class Durations:
    """How many completed attempts ran how long: each counted once, in the first that it fits."""

    up_to_100ms: int
    up_to_1s: int
    up_to_10s: int
    up_to_100s: int
    up_to_5m: int
    over_5m: int


@dataclass(frozen=True, slots=True)
class Window:
    """Attempts that ended in the window, by outcome, and how long the completed ones ran.

    `failed` ones are tried again. So are `lease_expired` ones, whose worker fell silent; where the job was not, they
    count as `dead_lettered` or `cancelled`. A worker that comes back with the result of such a one is counted once
    more, as `superseded`. No completed attempt took longer than `longest_at_most_ms`, a bound of the histogram; None
    when one went past the last, or none ran.
    """

    succeeded: int
    failed: int
    dead_lettered: int
    cancelled: int
    abandoned: int
    lease_expired: int
    superseded: int
    avg_duration_ms: float | None
    p95_duration_ms: float | None
    longest_at_most_ms: int | None
    durations: Durations


def ended(conn: Connection, *, hours: int, now: datetime) -> Sequence[Row]:
    """What ended since so many hours, in whole minutes: one row per queue and handler, for `window` to sum up."""
    first = (now - timedelta(hours=hours)).replace(second=0, microsecond=0)
    return conn.execute(ENDED, {"first_minute": first, "at": now}).all()


def window(rows: Iterable[Row]) -> Window:
    """The rows of `ended` in one."""
    read = list(rows)
    counts = [sum(row._mapping[name] for row in read) for name in RUN_BUCKETS]
    completed, run_ms = sum(counts), sum(row.run_ms for row in read)
    tail = quantile(counts, 0.95)
    return Window(
        **{name: sum(row._mapping[name] for row in read) for name in OUTCOMES},
        avg_duration_ms=run_ms / completed if completed else None,
        p95_duration_ms=None if tail is None else tail * 1000,
        longest_at_most_ms=_longest(counts),
        durations=_durations(counts),
    )


def _longest(counts: Sequence[int]) -> int | None:
    *bounded, beyond = counts
    return (
        None
        if beyond
        else max((bound for bound, count in zip(BUCKETS_MS, bounded, strict=True) if count), default=None)
    )


def _durations(counts: Sequence[int]) -> Durations:
    """The histogram in the six coarser steps."""
    steps = dict.fromkeys(DURATIONS_MS, 0)
    for bound, count in zip(BUCKETS_MS, counts, strict=False):
        steps[next(name for name, upper in DURATIONS_MS.items() if bound <= upper)] += count
    return Durations(**steps, over_5m=counts[-1])
