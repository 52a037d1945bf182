"""Finished attempts per minute: sums and a fixed histogram of run and wait times, so that no page reads history."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from worker.database import insert, records
from worker.model import AttemptOutcome
from worker.queries.schema import BUCKETS_MS, RUN_BUCKETS, WAIT_BUCKETS, statistics_minutes

_COUNTERS = ("jobs", "run_ms", "wait_ms", *RUN_BUCKETS, *WAIT_BUCKETS)
_ROWS = records("minutes", **{column.name: column.type for column in statistics_minutes.c})
_INSERT = insert(statistics_minutes).from_select(list(statistics_minutes.c), select(*_ROWS.c))
ADD = _INSERT.on_conflict_do_update(
    index_elements=list(statistics_minutes.primary_key),
    set_={name: statistics_minutes.c[name] + _INSERT.excluded[name] for name in _COUNTERS},
)


class Measured(NamedTuple):
    """One attempt as the statistics count it."""

    handler_key: str
    queue: str
    outcome: AttemptOutcome
    run_ms: float
    wait_ms: float


def add(conn: Connection, attempts: Iterable[Measured], *, at: datetime) -> None:
    """Count the attempts in the minute of `at`; rows are touched in one order, so that workers never deadlock."""
    minute = at.replace(second=0, microsecond=0).isoformat()
    rows: dict[tuple[str, str, str], dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTERS, 0))
    for each in attempts:
        row = rows[each.handler_key, each.queue, each.outcome]
        row["jobs"] += 1
        row["run_ms"] += round(each.run_ms)
        row["wait_ms"] += round(each.wait_ms)
        row[RUN_BUCKETS[bisect_left(BUCKETS_MS, each.run_ms)]] += 1
        row[WAIT_BUCKETS[bisect_left(BUCKETS_MS, each.wait_ms)]] += 1
    document: list[dict[str, Any]] = [
        {"minute": minute, "handler_key": handler, "queue": queue, "outcome": outcome, **counters}
        for (handler, queue, outcome), counters in sorted(rows.items())
    ]
    if document:
        conn.execute(ADD, {"minutes": json.dumps(document)})
