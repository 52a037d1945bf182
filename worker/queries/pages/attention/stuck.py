"""Tenants whose provisioning runs, and no step of it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import bindparam, select

from worker.database import Id, Row
from worker.queries.pages import stuck
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.backlog import RUNNING
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

LOOKED_AT = 10

RUNS = (
    select(tenant.c.slug, stuck.PROGRESSED_AT.label("since"), job.c.locked_by)
    .select_from(stuck.TENANTS)
    .where(tenant.c.onboarding_status == "provisioning", RUNNING)
    .order_by(stuck.PROGRESSED_AT)
    .limit(LOOKED_AT)
)


RUNS_OF = RUNS.where(tenant.c.id == bindparam("of_id", type_=Id))


def _runs(seen: Seen) -> Sequence[Row]:
    if not seen.figures.tenants.get("provisioning"):
        return []
    found = seen.conn.execute(RUNS_OF, {"of_id": seen.tenant_id}) if seen.tenant_id else seen.conn.execute(RUNS)
    return found.all()


def _find(seen: Seen) -> Iterator[Item]:
    for row in _runs(seen):
        if seen.age(row.since) >= seen.limits.stuck_after_seconds:
            yield Item("stuck", "warn", row)


def _worst(seen: Seen) -> float:
    """How long ago the one last got on that has not for longest."""
    return max((seen.age(row.since) for row in _runs(seen)), default=0)


KIND = Kind("stuck", "Provisioning that does not get on", Unit.SECONDS, "stuck_after_seconds", _find, _worst)
