"""The steps of many provisionings, one mark each: how far a tenant came, and which steps it failed at on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, case, func, or_, select

from worker.database import among, elapsed_ms
from worker.provisioning.steps import STEPS
from worker.queries.pages.provisioning import Provisioning, Stage
from worker.queries.schema import job_steps as step

_failed = or_(step.c.outcome == "failed", step.c.outcome == "lost")
RUNS = (
    select(
        step.c.job_id,
        step.c.step,
        func.count().filter(_failed).label("failures"),
        func.max(case((step.c.outcome == "done", elapsed_ms(step.c.started_at, step.c.finished_at)))).label("took_ms"),
    )
    .where(among(step.c.job_id, "of_jobs"))
    .group_by(step.c.job_id, step.c.step)
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One step of one tenant: `state` is done, the stage of the tenant that is at it, or empty for what is to come."""

    step: str
    state: str
    failures: int = 0
    took_seconds: float | None = None


def of(conn: Connection, provisionings: Sequence[Provisioning]) -> dict[UUID, list[Mark]]:
    """The marks of each tenant, in the order of the steps."""
    ids = [each.job_id for each in provisionings if each.job_id]
    rows = conn.execute(RUNS, {"of_jobs": ids}) if ids else ()
    runs = {(row.job_id, row.step): row for row in rows}
    return {each.tenant_id: [_mark(each, place, runs) for place in range(len(STEPS))] for each in provisionings}


def _mark(provisioning: Provisioning, place: int, runs: dict[tuple[Any, str], Any]) -> Mark:
    run = runs.get((provisioning.job_id, STEPS[place]))
    took = run.took_ms if run else None
    failures = run.failures if run else 0
    return Mark(STEPS[place], _state(provisioning, place), failures, None if took is None else float(took) / 1000)


def _state(provisioning: Provisioning, place: int) -> str:
    if place < provisioning.done:
        return Stage.DONE
    at_it = place == provisioning.done and provisioning.stage not in (Stage.NOT_STARTED, Stage.DONE)
    return provisioning.stage if at_it else ""
