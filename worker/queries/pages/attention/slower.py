"""Handlers whose slowest runs take much longer than they did the day before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, Table, bindparam, select

from worker.database import Id, among
from worker.model import AttemptOutcome
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.flow import quantile, total
from worker.queries.schema import RUN_BUCKETS, statistics_minutes
from worker.queries.schema import tenant_statistics_minutes as theirs

SLOWEST = 0.95
AT_LEAST = 50
"""Fewer runs than that say nothing of their slowest."""
WORTH_SECONDS = 1.0
"""A run time below this may double without anybody noticing."""
EVERY = timedelta(minutes=10)
LOOKS = 138
"""Minutes of the day before that stand for all of it: every tenth, up to an hour ago."""


# A day has thousands of rows: a sample of its minutes is found by as many probes of the key
def _usual_of(minutes: Table) -> Select[Any]:
    return (
        select(minutes.c.handler_key, *(total(minutes.c[name]).label(name) for name in RUN_BUCKETS))
        .where(among(minutes.c.minute, "of_minutes"), minutes.c.outcome == AttemptOutcome.COMPLETED)
        .group_by(minutes.c.handler_key)
    )


USUAL = _usual_of(statistics_minutes)
USUAL_OF_TENANT = _usual_of(theirs).where(theirs.c.tenant_id == bindparam("of_tenant", type_=Id))


@dataclass(frozen=True, slots=True)
class Slower:
    """A handler, how long its slowest runs of the last hour took, and how long such runs usually take."""

    handler_key: str
    seconds: float
    usual_seconds: float

    @property
    def times(self) -> float:
        """How many times as long."""
        return self.seconds / self.usual_seconds


def _slower(seen: Seen) -> list[Slower]:
    slow = _slow_now(seen)
    if not slow:
        return []
    of_minutes = {"of_minutes": minutes_before(seen.figures.at)}
    if seen.tenant_id:
        rows = seen.conn.execute(USUAL_OF_TENANT, {**of_minutes, "of_tenant": seen.tenant_id}).all()
    else:
        rows = seen.conn.execute(USUAL, of_minutes).all()
    usual = {row.handler_key: [row._mapping[name] for name in RUN_BUCKETS] for row in rows}
    found = [
        Slower(handler, seconds, before)
        for handler, seconds in slow.items()
        if sum(usual.get(handler, ())) >= AT_LEAST and (before := quantile(usual[handler], SLOWEST))
    ]
    return sorted(found, key=lambda each: (-each.times, each.handler_key))


def _slow_now(seen: Seen) -> dict[str, float]:
    runs: dict[str, tuple[int, ...]] = {}
    for flow in seen.figures.hour.flows:
        known = runs.get(flow.handler_key, (0,) * len(flow.runs))
        runs[flow.handler_key] = tuple(map(sum, zip(known, flow.runs, strict=True)))
    found = {handler: quantile(counts, SLOWEST) for handler, counts in runs.items() if sum(counts) >= AT_LEAST}
    return {handler: seconds for handler, seconds in found.items() if seconds and seconds >= WORTH_SECONDS}


def minutes_before(now: datetime) -> list[datetime]:
    """The minutes that stand for the day before."""
    last = now.replace(second=0, microsecond=0) - timedelta(hours=1)
    return [last - EVERY * place for place in range(1, LOOKS + 1)]


def _find(seen: Seen) -> Iterator[Item]:
    for each in _slower(seen):
        if each.times >= seen.limits.finding_slower_times:
            yield Item("slower", "warn", each)


def _worst(seen: Seen) -> float:
    """The most times as long as usual."""
    return max((each.times for each in _slower(seen)), default=0)


KIND = Kind("slower", "Slower than the day before", Unit.TIMES, "finding_slower_times", _find, _worst)
