"""The figures of one tenant: the same as everybody's, read in a few statements by its own indexes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from worker.database import Id
from worker.queries.pages import fleet, flow, tenant_backlog
from worker.queries.pages.backlog import Depths
from worker.queries.pages.figures import Figures
from worker.queries.pages.provisioning import PROVISION_TENANT
from worker.queries.schema import tenants

STATUS = select(tenants.c.onboarding_status).where(tenants.c.id == bindparam("of_id", type_=Id))


def of_tenant(conn: Connection, figures: Figures, *, tenant_id: UUID) -> Figures:
    """What of a sample is one tenant's; workers, pauses, releases and the outbox are everybody's and stay."""
    held = fleet.held(conn, tenant_id=tenant_id)
    rows = tenant_backlog.of_tenant(conn, tenant_id=tenant_id, held=held, now=figures.at)
    ready: Counter[str] = Counter()
    for row in rows:
        ready[row.queue] += row.ready
    status = conn.execute(STATUS, {"of_id": tenant_id}).scalar()
    return replace(
        figures,
        backlog=rows,
        depths=Depths(dict(ready), sum(row.scheduled for row in rows), sum(row.dead for row in rows)),
        held=tuple(held),
        hour=flow.read(conn, now=figures.at, tenant_id=tenant_id),
        tenants={status: 1} if status else {},
        progress=float(sum(row.progress for row in held if row.job_type == PROVISION_TENANT)),
        tenant_id=tenant_id,
    )
