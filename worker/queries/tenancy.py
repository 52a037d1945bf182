"""Where a tenant's own tables are: the way in, the place's name, and opening it for work."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, func, select, update

from worker.database import Id, Row, moment
from worker.database.tenancy import entrance, open_place, with_tables
from worker.errors import TenantNotReady, UnknownTenant
from worker.queries.schema import tenants

_of_tenant = tenants.c.id == bindparam("of_id", type_=Id)

SCHEMA_NAME = select(tenants.c.schema_name).where(_of_tenant)
ACTIVATE = (
    update(tenants)
    .where(_of_tenant, tenants.c.onboarding_status != "suspended")
    .values(onboarding_status="active", activated_at=func.coalesce(tenants.c.activated_at, moment()))
)
ENTER = entrance(tenants, bindparam("of_id", type_=Id))


def enter(conn: Connection, *, tenant_id: UUID) -> None:
    """Be in the tenant's place until the transaction ends; UnknownTenant, or TenantNotReady before there is one."""
    found = conn.execute(ENTER, {"of_id": tenant_id}).one_or_none()
    if found is None:
        raise UnknownTenant
    if not (found.is_open and open_place(conn, found.schema_name)):
        raise TenantNotReady


def schema_name(conn: Connection, *, tenant_id: UUID) -> str:
    """What the tenant's place is called; UnknownTenant when there is no such tenant."""
    name: str | None = conn.execute(SCHEMA_NAME, {"of_id": tenant_id}).scalar_one_or_none()
    if name is None:
        raise UnknownTenant
    return name


def places(conn: Connection) -> list[Row]:
    """The tenants whose place has tables, by slug."""
    return with_tables(conn, tenants)


def activate(conn: Connection, *, tenant_id: UUID, now: datetime | None = None) -> None:
    """Open the tenant for work, unless it is suspended; when it was opened first is kept."""
    conn.execute(ACTIVATE, {"of_id": tenant_id, "at_now": now})
