"""Work on what is one tenant's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Engine, bindparam, func, select, update

from worker.database import Id, Row, moment
from worker.database.tenancy import enter, entrance, leave, with_tables
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


@contextmanager
def tenant_uow(engine: Engine, *, tenant_id: UUID) -> Iterator[Connection]:
    """One transaction in which the tenant's tables go by their names and no other tenant's rows exist (S1-70).

    UnknownTenant, or TenantNotReady before it is provisioned. Nothing of it is left to whoever has the session next.
    """
    with engine.connect() as conn:
        try:
            with conn.begin():
                found = conn.execute(ENTER, {"of_id": tenant_id}).one_or_none()
                if found is None:
                    raise UnknownTenant
                if not (found.is_open and enter(conn, found.schema_name)):
                    raise TenantNotReady
                yield conn
        finally:
            leave(conn)


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
