"""Work on what is one tenant's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from worker.database import Connection, Engine
from worker.database.tenancy import leave
from worker.queries import tenancy


@contextmanager
def tenant_uow(engine: Engine, *, tenant_id: UUID) -> Iterator[Connection]:
    """One transaction in which the tenant's tables go by their names and no other tenant's rows exist (S1-70).

    UnknownTenant, or TenantNotReady before it is provisioned. Nothing of it is left to whoever has the session next.
    """
    with engine.connect() as conn:
        try:
            with conn.begin():
                tenancy.enter(conn, tenant_id=tenant_id)
                yield conn
        finally:
            leave(conn)
