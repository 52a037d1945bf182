"""What is done before a deployment opens on one machine."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select, text

from app.commands.links import admin_link
from app.commands.opening import prepare
from app.sessions import digest
from tests import factories
from tests.worker.provisioning.rig import asked, place, strategy
from worker.provisioning import migrations
from worker.queries import links
from worker.queries.audit import Actor
from worker.queries.schema import operators


def test_tenants_that_an_older_release_provisioned_get_todays_tables(engine: Engine) -> None:
    tenant_id, _ = asked(engine, "acme")
    strategy(engine, tenant_id).create_schema()
    with place(engine) as there:
        migrations.upgrade(there, "t001")
    prepare(engine, {})
    with place(engine) as there:
        assert there.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == migrations.head()


def test_the_link_signs_in_an_admin_who_has_come_before_one_who_is_only_invited(engine: Engine) -> None:
    with engine.begin() as conn:
        factories.operator(conn, "aaron", "admin", invited_at=factories.NOON)
        factories.operator(conn, "lee", "admin")
        path = admin_link(conn, Actor("cli:root"))
        assert path
        found = links.find(conn, token_hash=digest(path.rpartition("/")[2]))
    assert found
    assert found.name == "lee"


@pytest.mark.parametrize("names", [("aaron", "admin"), ("admin", None)], ids=["another name", "the usual name"])
def test_the_link_signs_in_as_nobody_who_is_only_invited(engine: Engine, names: tuple[str, str | None]) -> None:
    invited, let_in = names
    with engine.begin() as conn:
        factories.operator(conn, invited, "admin", invited_at=factories.NOON)
        path = admin_link(conn, Actor("cli:root"))
        found = path and links.find(conn, token_hash=digest(path.rpartition("/")[2]))
        still = conn.execute(select(operators.c.invited_at).where(operators.c.name == invited)).scalar_one()
    assert (found.name if found else None) == let_in
    assert still == factories.NOON
