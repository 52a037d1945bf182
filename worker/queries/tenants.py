"""Tenants: whose work it is."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from worker.database import insert, moment
from worker.errors import InvalidInput
from worker.model import new_id
from worker.payloads import clean_text
from worker.queries.schema import tenants

ADD = (
    insert(tenants)
    .values(
        id=bindparam("new_id"),
        slug=bindparam("as_slug"),
        display_name=bindparam("as_name"),
        schema_name=bindparam("in_schema"),
        created_at=moment(),
    )
    .on_conflict_do_nothing(index_elements=["slug"])
    .returning(tenants.c.id)
)
BY_SLUG = select(tenants.c.id).where(tenants.c.slug == bindparam("as_slug"))


def add(
    conn: Connection, *, slug: str, display_name: str, tenant_id: UUID | None = None, now: datetime | None = None
) -> UUID:
    """The tenant of that slug, made when there is none; InvalidInput names the field that cannot be stored."""
    if not (1 <= len(slug) <= 50 and slug[0].isalnum() and set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")):
        raise InvalidInput("slug", "must be 1 to 50 of a-z 0-9 - and start with a letter or digit")
    name = clean_text(display_name, field="display_name", limit=200)
    if not name:
        raise InvalidInput("display_name", "must not be empty")
    values = {
        "new_id": tenant_id or new_id(),
        "as_slug": slug,
        "as_name": name,
        "in_schema": "tenant_" + slug.replace("-", "_"),
        "at_now": now,
    }
    made: UUID | None = conn.execute(ADD, values).scalar()
    known: UUID = made or conn.execute(BY_SLUG, {"as_slug": slug}).scalar_one()
    return known


def id_of(conn: Connection, *, slug: str) -> UUID | None:
    """The id of the tenant of that slug; None when there is none."""
    found: UUID | None = conn.execute(BY_SLUG, {"as_slug": slug}).scalar()
    return found
