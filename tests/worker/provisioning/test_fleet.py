"""What a release does to tenants that an older one provisioned."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

from tests import factories
from tests.provisioned import clear, provisioned
from tests.worker.provisioning.rig import asked, place, strategy
from worker.provisioning import fleet, migrations

BEHIND, BROKEN, AHEAD, NOWHERE = "acme", "bolt", "cork", "dune"


def revision(engine: Engine, slug: str) -> str | None:
    """Which one the tenant's tables are at."""
    with place(engine, f"tenant_{slug}") as conn:
        found: str | None = conn.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    return found


def test_every_tenant_that_has_tables_gets_the_newest_and_one_that_cannot_holds_up_nobody(
    engine: Engine, conn: Connection
) -> None:
    for slug in (BROKEN, AHEAD):
        provisioned(engine, slug)
    tenant_id, _ = asked(engine, BEHIND)
    strategy(engine, tenant_id).create_schema()
    with place(engine) as there:
        migrations.upgrade(there, "t001")
    with place(engine, "tenant_bolt") as there:
        there.execute(text("UPDATE alembic_version SET version_num = 'lost'"))
    clear(engine, NOWHERE)
    factories.tenant(conn, NOWHERE)
    assert fleet.upgrade(engine) == [BROKEN]
    assert [revision(engine, slug) for slug in (BEHIND, BROKEN, AHEAD)] == [
        migrations.head(),
        "lost",
        migrations.head(),
    ]
    assert fleet.upgrade(engine) == [BROKEN]
