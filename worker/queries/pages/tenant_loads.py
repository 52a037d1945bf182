"""The open work of each tenant: what waits, runs and failed for good."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, bindparam, func, or_, select, union_all
from sqlalchemy import cast as sql_cast

from worker.database import Id, among
from worker.queries.pages.backlog import COUNTED, RUNNING, counted, open_work
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

PAGE = 50


def _loads() -> Select[Any]:
    running = select(job.c.tenant_id, job.c.attempts, job.c.locked_at).where(RUNNING).subquery("running")
    kinds = union_all(
        *open_work(job.c.tenant_id, head=COUNTED, sheet=COUNTED),
        counted("running", running, ["tenant_id"], func.min(running.c.locked_at)),
    ).subquery("kinds")

    def jobs(kind: str) -> ColumnElement[int]:
        return sql_cast(func.coalesce(func.sum(kinds.c.jobs).filter(kinds.c.kind == kind), 0), Integer)

    def since(kind: str) -> ColumnElement[datetime]:
        return func.min(kinds.c.since).filter(kinds.c.kind == kind)

    return select(
        kinds.c.tenant_id,
        jobs("ready").label("ready"),
        since("ready").label("ready_since"),
        jobs("scheduled").label("scheduled"),
        since("scheduled").label("next_due"),
        jobs("running").label("running"),
        jobs("dead").label("dead"),
    ).group_by(kinds.c.tenant_id)


_all = _loads().subquery("loads")
FULLEST = (
    select(_all, tenant.c.slug, tenant.c.display_name)
    .select_from(_all.join(tenant, tenant.c.id == _all.c.tenant_id))
    .order_by(_all.c.ready.desc(), _all.c.tenant_id)
    .limit(PAGE + 1)
)
FULLEST_AFTER = FULLEST.where(
    or_(
        _all.c.ready < bindparam("after_ready", type_=Integer),
        and_(
            _all.c.ready == bindparam("after_ready", type_=Integer),
            _all.c.tenant_id > bindparam("after_id", type_=Id),
        ),
    )
)
OF_TENANTS = select(_all).where(among(_all.c.tenant_id, "of_tenants"))


def fullest(conn: Connection, *, after: tuple[int, UUID] | None, now: datetime) -> list[Any]:
    """The tenants with the most ready jobs, up to fifty, and one more when there is a next page."""
    if after is None:
        return list(conn.execute(FULLEST, {"at_now": now}))
    return list(conn.execute(FULLEST_AFTER, {"after_ready": after[0], "after_id": after[1], "at_now": now}))


def of(conn: Connection, *, tenant_ids: Sequence[UUID], now: datetime) -> dict[UUID, Any]:
    """The open work of these tenants; those without any are missing."""
    rows = conn.execute(OF_TENANTS, {"of_tenants": list(tenant_ids), "at_now": now}) if tenant_ids else ()
    return {row.tenant_id: row for row in rows}
