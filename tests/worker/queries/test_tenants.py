"""Tenants: one for each slug, each with a schema's name of its own."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, select

from tests.factories import NOON, tenant
from worker.errors import InvalidInput
from worker.model import new_id
from worker.queries import tenants
from worker.queries.schema import tenants as table


def schema(conn: Connection, slug: str) -> str:
    tenants.add(conn, slug=slug, display_name="A name")
    return str(conn.execute(select(table.c.schema_name).where(table.c.slug == slug)).scalar_one())


def test_a_slug_is_added_once_and_keeps_its_first_name(conn: Connection) -> None:
    mine = new_id()
    made, new = tenants.ensure(conn, slug="acme", display_name=" Acme ", tenant_id=mine, now=NOON)
    assert (new, made.id, made.display_name, made.created_at) == (True, mine, "Acme", NOON)
    known, new = tenants.ensure(conn, slug="acme", display_name="Other", tenant_id=new_id(), now=NOON)
    assert (new, known) == (False, made)
    assert tenants.add(conn, slug="acme", display_name="Other") == mine
    assert tenants.by_id(conn, tenant_id=mine) == made
    assert (tenants.id_of(conn, slug="acme"), tenants.id_of(conn, slug="other")) == (mine, None)


def test_a_schema_is_named_after_the_slug(conn: Connection) -> None:
    assert schema(conn, "a-b-2") == "tenant_a_b_2"
    assert schema(conn, "x" * 56) == "tenant_" + "x" * 56


def test_slugs_too_long_for_a_schemas_name_have_each_their_own(conn: Connection) -> None:
    names = [schema(conn, "x" * 60 + end) for end in ("a", "b", "-", "-1", "abc")]
    assert len(set(names)) == 5
    assert {len(name) for name in names} == {63}
    assert all(name.startswith("tenant_" + "x" * 43 + "_") for name in names)


def test_a_schemas_name_that_another_tenant_has_is_not_given_again(conn: Connection) -> None:
    tenant(conn, "other", schema_name="tenant_acme")
    assert schema(conn, "acme").startswith("tenant_acme_")
    assert tenants.id_of(conn, slug="acme") != tenants.id_of(conn, slug="other")


def test_a_tenant_for_whom_no_name_is_left_is_refused(conn: Connection) -> None:
    tenant(conn, "other", schema_name="tenant_acme")
    schema(conn, "acme")
    conn.execute(table.update().where(table.c.slug == "acme").values(slug="moved"))
    with pytest.raises(InvalidInput, match="slug"):
        tenants.add(conn, slug="acme", display_name="Acme")


@pytest.mark.parametrize("slug", ["", "-a", "A", "a_b", "a b", "a\n", "é", "x" * 64])
def test_a_slug_is_plain(conn: Connection, slug: str) -> None:
    with pytest.raises(InvalidInput, match="slug"):
        tenants.add(conn, slug=slug, display_name="A name")


def test_the_list_goes_on_after_a_slug(conn: Connection) -> None:
    for slug in ("c", "a", "b"):
        tenant(conn, slug)
    assert [row.slug for row in tenants.listed(conn, limit=2)] == ["a", "b"]
    assert [row.slug for row in tenants.listed(conn, after="a", limit=2)] == ["b", "c"]
    assert tenants.listed(conn, after="c", limit=2) == []
