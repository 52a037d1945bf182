"""What is done before a deployment opens on one machine."""

from __future__ import annotations

from sqlalchemy import Engine, text

from app.commands.opening import prepare
from tests.worker.provisioning.rig import asked, place, strategy
from worker.provisioning import migrations


def test_tenants_that_an_older_release_provisioned_get_todays_tables(engine: Engine) -> None:
    tenant_id, _ = asked(engine, "acme")
    strategy(engine, tenant_id).create_schema()
    with place(engine) as there:
        migrations.upgrade(there, "t001")
    prepare(engine, {})
    with place(engine) as there:
        assert there.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == migrations.head()
