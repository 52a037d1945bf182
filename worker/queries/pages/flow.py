"""How fast work comes and goes, from the statistics of the last hour and the newest rows; never from history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, Row, bindparam, func, select, tuple_
from sqlalchemy import cast as sql_cast

from worker.database import Timestamp
from worker.model import AttemptOutcome
from worker.queries.schema import BUCKETS_MS, RUN_BUCKETS
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import statistics_minutes as minutes

MINUTES = 60
RECENT_MINUTES = 5
ARRIVALS_READ = 10_000
"""Newest rows read for the arrival rate: where more came, the rate is taken over the shorter time they span."""

FINAL = (AttemptOutcome.COMPLETED, AttemptOutcome.DEAD_LETTER, AttemptOutcome.CANCELLED)
FAILURES = (AttemptOutcome.FAILED, AttemptOutcome.DEAD_LETTER)


def _jobs(*outcomes: AttemptOutcome, recent: bool = False) -> Any:
    wanted = minutes.c.outcome.in_(outcomes)
    if recent:
        wanted &= minutes.c.minute >= bindparam("recent_minute", type_=Timestamp)
    return sql_cast(func.coalesce(func.sum(minutes.c.jobs).filter(wanted), 0), Integer)


def _sum(column: Any) -> Any:
    return func.coalesce(func.sum(column).filter(minutes.c.outcome == AttemptOutcome.COMPLETED), 0)


_slice = func.date_bin(
    func.make_interval(0, 0, 0, 0, 0, 5), minutes.c.minute, bindparam("first_minute", type_=Timestamp)
)
HOUR = (
    select(
        minutes.c.minute,
        _slice.label("slice"),
        minutes.c.queue,
        minutes.c.handler_key,
        _jobs(*FINAL).label("finished"),
        _jobs(*FAILURES).label("failed"),
        _jobs(AttemptOutcome.DEAD_LETTER).label("died"),
        _jobs(*FINAL, recent=True).label("finished_recently"),
        _jobs(*FAILURES, recent=True).label("failed_recently"),
        _jobs(AttemptOutcome.DEAD_LETTER, recent=True).label("died_recently"),
        func.sum(minutes.c.run_ms).label("run_ms"),
        func.sum(minutes.c.wait_ms).label("wait_ms"),
        *(_sum(minutes.c[name]).label(name) for name in RUN_BUCKETS),
    )
    .where(minutes.c.minute >= bindparam("first_minute", type_=Timestamp))
    .group_by(
        func.grouping_sets(
            tuple_(minutes.c.minute), tuple_(_slice, minutes.c.queue), tuple_(minutes.c.queue, minutes.c.handler_key)
        )
    )
)
