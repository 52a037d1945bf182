"""How long the whole of a provisioning usually takes, from the asking to the last step."""

from __future__ import annotations

from statistics import median, quantiles

from sqlalchemy import Connection, select

from worker.database import elapsed_ms, one_of
from worker.queries.pages.provisioning import TENANTS
from worker.queries.pages.step_times import FEWEST, LAST, Usual
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

_last = select(tenant.c.id).where(tenant.c.activated_at.is_not(None)).order_by(tenant.c.activated_at.desc()).limit(LAST)
TOTALS = (
    select(elapsed_ms(job.c.created_at, tenant.c.activated_at))
    .select_from(TENANTS)
    .where(one_of(tenant.c.id, _last), job.c.id.is_not(None))
)


def usual(conn: Connection) -> Usual | None:
    """Of the tenants that became active last; None where there are too few to speak of a usual time."""
    took = [float(each) / 1000 for each in conn.execute(TOTALS).scalars()]
    if len(took) < FEWEST:
        return None
    return Usual(len(took), median(took), quantiles(took, n=20, method="inclusive")[-1])
