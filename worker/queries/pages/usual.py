"""How long work usually runs, from the statistics: what a running job's time is held against."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, select
from sqlalchemy import cast as sql_cast

from worker.database import Timestamp, among
from worker.model import AttemptOutcome
from worker.queries.pages.figures import Figures
from worker.queries.pages.flow import quantile
from worker.queries.schema import RUN_BUCKETS
from worker.queries.schema import statistics_minutes as minutes

ENOUGH = 5
"""Fewer completed runs say nothing of what is usual."""
DAY = timedelta(hours=24)
AT_EASE_SECONDS = 5.0
"""Below this no run is called slow, whatever is usual."""

_sums = (sql_cast(func.coalesce(func.sum(minutes.c[name]), 0), BigInteger).label(name) for name in RUN_BUCKETS)
COMPLETED = (
    select(minutes.c.handler_key, *_sums)
    .where(minutes.c.minute.between(bindparam("since", type_=Timestamp), bindparam("until", type_=Timestamp)))
    .where(among(minutes.c.handler_key, "of_handlers"))
    .where(minutes.c.outcome == AttemptOutcome.COMPLETED)
    .group_by(minutes.c.handler_key)
)


@dataclass(frozen=True, slots=True)
class Usual:
    """The run times of a handler's completed attempts: how many there were, their median, and where the tail begins."""

    runs: int
    median: float
    tail: float

    def times(self, ran: timedelta) -> float:
        """How many medians a run has taken."""
        return ran.total_seconds() / max(self.median, 0.001)

    def is_slow(self, ran: timedelta) -> bool:
        """Whether it runs far longer than nearly all before it did."""
        seconds = ran.total_seconds()
        return seconds >= AT_EASE_SECONDS and seconds > 2 * self.tail


def of_hour(figures: Figures) -> dict[str, Usual]:
    """By handler, from the last hour as it was sampled; costs nothing."""
    counts: dict[str, list[Sequence[int]]] = {}
    for flow in figures.hour.flows:
        counts.setdefault(flow.handler_key, []).append(flow.runs)
    return _known((name, [sum(each) for each in zip(*rows, strict=True)]) for name, rows in counts.items())


def of_day(conn: Connection, *, handlers: Collection[str], now: datetime) -> dict[str, Usual]:
    """The same for these handlers over a whole day, which rare work needs."""
    if not handlers:
        return {}
    values: dict[str, Any] = {"of_handlers": sorted(handlers), "since": now - DAY, "until": now}
    rows = conn.execute(COMPLETED, values)
    return _known((row.handler_key, [row._mapping[name] for name in RUN_BUCKETS]) for row in rows)


def _known(counts: Iterable[tuple[str, Sequence[int]]]) -> dict[str, Usual]:
    return {name: _usual(runs) for name, runs in counts if sum(runs) >= ENOUGH}


def _usual(runs: Sequence[int]) -> Usual:
    median, tail = quantile(runs, 0.5), quantile(runs, 0.95)
    assert median is not None
    assert tail is not None
    return Usual(sum(runs), float(f"{median:.2g}"), float(f"{tail:.2g}"))
