"""Finished attempts per minute: sums and a fixed histogram of run and wait times, so that no page reads history."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from sqlalchemy import BigInteger, Connection, FromClause, Integer, Table, Text, select

from worker.database import Id, insert, minute_of, moment, records
from worker.model import AttemptOutcome
from worker.queries.schema import (
    BUCKETS_MS,
    RUN_BUCKETS,
    WAIT_BUCKETS,
    statistics_minutes,
    tenant_statistics_minutes,
)

_KEYS = ("handler_key", "queue", "outcome")
_SUMS = ("run_ms", "wait_ms")
_COUNTS = ("jobs", "late", *RUN_BUCKETS, *WAIT_BUCKETS)
_COUNTERS = (*_SUMS, *_COUNTS)
_TENANT_KEYS = ("tenant_id", *_KEYS)
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(_KEYS, Text()),
    **dict.fromkeys(_SUMS, BigInteger()),
    **dict.fromkeys(_COUNTS, Integer()),
}


def _adding(table: Table, rows: FromClause) -> Any:
    added = insert(table).from_select(
        ["minute", *(each.name for each in rows.c)], select(minute_of(moment()), *rows.c)
    )  # fmt: skip
    return added.on_conflict_do_update(
        index_elements=list(table.primary_key),
        set_={name: table.c[name] + added.excluded[name] for name in _COUNTERS},
    )


ADD = _adding(statistics_minutes, records("finished", **_COLUMNS))
ADD_OF_TENANTS = _adding(tenant_statistics_minutes, records("finished", tenant_id=Id, **_COLUMNS))

LATE_ATTEMPT = 3
"""A job that completes only then was near to being a dead letter."""

Times: TypeAlias = defaultdict[tuple[str, ...], list[tuple[float, float, bool]]]
"""Run time, wait and whether it came late, of each attempt that is counted under a key."""


class Measured(NamedTuple):
    """One attempt as the statistics count it."""

    handler_key: str
    queue: str
    outcome: AttemptOutcome
    run_ms: float
    wait_ms: float
    attempt: int = 1
    tenant_id: UUID | None = None

    @property
    def late(self) -> bool:
        """Whether it completed, but not before it had failed twice."""
        return self.outcome is AttemptOutcome.COMPLETED and self.attempt >= LATE_ATTEMPT


def waited_ms(claimed_at: datetime, *, available_at: datetime, created_at: datetime) -> float:
    """How long the job had been due when it was claimed."""
    return max((claimed_at - max(available_at, created_at)).total_seconds() * 1000, 0)


def add(conn: Connection, attempts: Iterable[Measured], *, now: datetime | None = None) -> None:
    """Count the attempts in this minute, those of a tenant under its id as well; to be called last in a transaction.

    Rows are touched in one order and after those of any job, so that nobody who does the same ever deadlocks.
    """
    times: Times = defaultdict(list)
    of_tenants: Times = defaultdict(list)
    for each in attempts:
        key, measured = (each.handler_key, each.queue, each.outcome), (each.run_ms, each.wait_ms, each.late)
        times[key].append(measured)
        if each.tenant_id is not None:
            of_tenants[str(each.tenant_id), *key].append(measured)
    if times:
        conn.execute(ADD, {"finished": _document(_KEYS, times), "at_now": now})
    if of_tenants:
        conn.execute(ADD_OF_TENANTS, {"finished": _document(_TENANT_KEYS, of_tenants), "at_now": now})


def _document(keys: Sequence[str], times: Times) -> str:
    return json.dumps([dict(zip(keys, key, strict=True)) | _summed(times[key]) for key in sorted(times)])


def _summed(times: Sequence[tuple[float, float, bool]]) -> dict[str, Any]:
    runs, waits, late = (sorted(each) for each in zip(*times, strict=True))
    sums = {"jobs": len(runs), "late": sum(late), "run_ms": round(sum(runs)), "wait_ms": round(sum(waits))}
    return sums | _histogram(RUN_BUCKETS, runs) | _histogram(WAIT_BUCKETS, waits)


def _histogram(names: Sequence[str], ordered: Sequence[float]) -> dict[str, int]:
    """How many are in each bucket, its upper bound included."""
    reached = [0, *(bisect_right(ordered, bound) for bound in BUCKETS_MS), len(ordered)]
    return {name: upper - lower for name, (lower, upper) in zip(names, pairwise(reached), strict=True)}
