"""Which strategy makes a tenant's place: what the database is decides."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from worker.database import Engine, autocommit, is_file
from worker.object_storage import ObjectStorage
from worker.provisioning.postgres import SchemaStrategy
from worker.provisioning.sqlite import FileStrategy
from worker.provisioning.strategy import Strategy
from worker.queries import tenancy


def strategy_for(tenant_id: UUID, *, engine: Engine, owner: Engine, storage: Callable[[], ObjectStorage]) -> Strategy:
    """The strategy for one tenant; UnknownTenant when there is no such tenant."""
    with autocommit(owner).connect() as conn:
        schema_name = tenancy.schema_name(conn, tenant_id=tenant_id)
    kind = FileStrategy if is_file(str(owner.url)) else SchemaStrategy
    return kind(tenant_id=tenant_id, schema_name=schema_name, engine=engine, owner=owner, storage=storage)
