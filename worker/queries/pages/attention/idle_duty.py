"""A relay or a reaper that has not run, before its work piles up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import select

from worker.database import Row
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.schema import duty_runs

RUNS = (
    select(duty_runs.c.duty, duty_runs.c.ran_at, duty_runs.c.ran_by)
    .where(duty_runs.c.duty.in_(("relay", "reaper")))
    .order_by(duty_runs.c.ran_at)
)


def _runs(seen: Seen) -> Sequence[Row]:
    return seen.conn.execute(RUNS).all()


def _find(seen: Seen) -> Iterator[Item]:
    for row in _runs(seen):
        if seen.age(row.ran_at) >= seen.limits.finding_idle_duty_seconds:
            yield Item("idle_duty", "urgent", row)


def _worst(seen: Seen) -> float:
    """How long ago the one ran that has not run for longest."""
    return max((seen.age(row.ran_at) for row in _runs(seen)), default=0)


KIND = Kind(
    "idle_duty",
    "A relay or reaper that does not run",
    Unit.SECONDS,
    "finding_idle_duty_seconds",
    _find,
    _worst,
    whole=True,
)
