"""How many attempts ever ended, by queue, handler and outcome, and how long the completed ones ran."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, ColumnElement, Connection, func, select, union_all
from sqlalchemy import cast as sql_cast

from worker.database import moment
from worker.queries.schema import (
    BUCKETS_MS,
    RUN_BUCKETS,
    TOTALLED,
    statistics_marks,
    statistics_minutes,
    statistics_totals,
)
from worker.queries.totals import KEYS, TOTALS

BOUNDS_SECONDS = tuple(bound / 1000 for bound in BUCKETS_MS)
"""Up to how long each of a total's `runs` took, but the last, which took longer."""

_mark = select(statistics_marks.c.minute).where(statistics_marks.c.name == TOTALS).scalar_subquery()
# In one statement, so that no minute is counted twice or not at all while the mark moves; with both ends for the plan
_since = (
    select(
        *(statistics_minutes.c[name] for name in KEYS),
        *(sql_cast(statistics_minutes.c[name], BigInteger).label(name) for name in TOTALLED),
        moment().label("began_at"),
    )
    .where(statistics_minutes.c.minute > _mark, statistics_minutes.c.minute <= moment())
)  # fmt: skip
_known = select(*(statistics_totals.c[name] for name in (*KEYS, *TOTALLED, "began_at")))
_every = union_all(_known, _since).subquery("every_part")


def _sum(name: str) -> ColumnElement[int]:
    return sql_cast(func.sum(_every.c[name]), BigInteger).label(name)


_began = func.min(_every.c.began_at)
READ = (
    select(*(_every.c[name] for name in KEYS), *(_sum(name) for name in TOTALLED))
    .group_by(*(_every.c[name] for name in KEYS))
    .order_by(_began, *(_every.c[name] for name in KEYS))
)


@dataclass(frozen=True, slots=True)
class Total:
    """The attempts of one handler on one queue that ended in one way; `runs` counts them by bucket."""

    queue: str
    handler_key: str
    outcome: str
    jobs: int
    run_ms: int
    runs: tuple[int, ...]


def read(conn: Connection, *, now: datetime) -> list[Total]:
    """All of them, those that were seen first before the others."""
    return [
        Total(
            queue=row.queue,
            handler_key=row.handler_key,
            outcome=row.outcome,
            jobs=row.jobs,
            run_ms=row.run_ms,
            runs=tuple(row._mapping[name] for name in RUN_BUCKETS),
        )
        for row in conn.execute(READ, {"at_now": now})
    ]
