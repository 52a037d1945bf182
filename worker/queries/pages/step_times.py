"""How long each step of a provisioning usually takes, over the whole fleet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, Text, case, func, literal_column, select, union_all

from worker.database import elapsed_ms
from worker.provisioning.steps import STEPS
from worker.queries.schema import job_steps as step

LAST, FEWEST = 200, 5
"""How many runs of a step are looked at, the last to end first; and how many there must be to speak of a usual one."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What a step took in its last finished runs: the middle one, and the one that 95 of 100 did not exceed."""

    runs: int
    median: float
    p95: float


def _last(name: str) -> Select[Any]:
    """The times of a step's last finished runs; name and outcome are written out, so that the index is found."""
    took = elapsed_ms(step.c.started_at, step.c.finished_at).label("took_ms")
    rows = (
        select(step.c.step, took)
        .where(step.c.step == literal_column(f"'{name}'", Text), step.c.outcome == literal_column("'done'", Text))
        .order_by(step.c.finished_at.desc())
        .limit(LAST)
    )
    return select(*rows.subquery(f"last_{name}").c)


def _usual() -> Select[Any]:
    runs = union_all(*map(_last, STEPS)).subquery("runs")
    ranked = select(
        *runs.c,
        func.row_number().over(partition_by=runs.c.step, order_by=runs.c.took_ms).label("place"),
        func.count().over(partition_by=runs.c.step).label("runs"),
    ).subquery("ranked")
    place, of = ranked.c.place, ranked.c.runs
    return (
        select(
            ranked.c.step,
            func.max(of).label("runs"),
            func.max(case((place * 2 <= of + 1, ranked.c.took_ms))).label("median_ms"),
            func.max(case((place * 100 <= of * 95 + 99, ranked.c.took_ms))).label("p95_ms"),
        )
        .group_by(ranked.c.step)
        .having(func.max(of) >= FEWEST)
    )


STEP_TIMES = _usual()


def usual(conn: Connection) -> dict[str, Usual]:
    """The usual times by step; a step that was run too seldom is missing."""
    return {
        row.step: Usual(row.runs, float(row.median_ms) / 1000, float(row.p95_ms) / 1000)
        for row in conn.execute(STEP_TIMES)
    }
