"""How many tenants are at each step, and how many of them do not get past it: a bad step shows here first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, literal_column, select

from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries.pages.provisioning import AGAIN
from worker.queries.pages.stuck import STUCK, TENANTS, Watch
from worker.queries.pages.tenant_rows import UNDER_WAY, place
from worker.queries.schema import platform_jobs as job

_place = func.coalesce(place, literal_column("0")).label("place")
TALLIES = (
    select(
        _place,
        func.count().label("tenants"),
        func.count().filter(job.c.status == Status.FAILED).label("failed"),
        func.count().filter(job.c.status == Status.CANCELLED).label("cancelled"),
        func.count().filter(AGAIN).label("retrying"),
        func.count().filter(STUCK).label("stuck"),
    )
    .select_from(TENANTS)
    .where(UNDER_WAY)
    .group_by(_place)
)


@dataclass(frozen=True, slots=True)
class Tally:
    """The tenants that are at one step."""

    step: str
    tenants: int = 0
    failed: int = 0
    cancelled: int = 0
    retrying: int = 0
    stuck: int = 0

    @property
    def stopped(self) -> int:
        """Those that failed there, were cancelled, or are to be tried again."""
        return self.failed + self.cancelled + self.retrying


def read(conn: Connection, *, watch: Watch, now: datetime) -> list[Tally]:
    """One tally per step, in their order."""
    rows = {row.place: row for row in conn.execute(TALLIES, {"at_now": now, **watch.values})}
    return [Tally(step, *rows[place][1:]) if place in rows else Tally(step) for place, step in enumerate(STEPS)]
