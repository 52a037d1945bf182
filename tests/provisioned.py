"""Tenants whose place is made, for tests of what happens there."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Engine
from sqlalchemy.schema import DropSchema

from tests import factories
from worker.database.tenancy import beside
from worker.object_storage import ObjectStorage
from worker.provisioning.strategies import strategy_for


def provisioned(engine: Engine, slug: str = "acme") -> UUID:
    """An active tenant with the newest tables, empty but for its roles; nothing is left of earlier tests."""
    clear(engine, slug)
    with engine.begin() as conn:
        tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    strategy = strategy_for(tenant_id, engine=engine, owner=engine, storage=no_storage)
    for step, take in strategy.steps().items():
        if step != "verify_object_storage":
            take()
    return tenant_id


def clear(engine: Engine, slug: str = "acme") -> None:
    """Have no place for a tenant of that name, which in the server's databases outlives a test."""
    schema_name = f"tenant_{slug.replace('-', '_')}"
    if engine.dialect.name == "sqlite":
        for path in beside(engine.url, schema_name).parent.glob(f"*-{schema_name}.*"):
            path.unlink()
    else:
        with engine.begin() as conn:
            conn.execute(DropSchema(schema_name, cascade=True, if_exists=True))


def no_storage() -> ObjectStorage:
    """What is not to be asked for."""
    raise AssertionError("this test has no object storage")
