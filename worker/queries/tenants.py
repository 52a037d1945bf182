"""Tenants: whose work it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Text, bindparam, select

from worker.database import Id, Row, insert, moment
from worker.errors import InvalidInput
from worker.model import new_id
from worker.payloads import clean_text
from worker.queries.schema import tenants

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}", re.ASCII)
_ROOM = 56
"""What a slug may take of the schema's name: `tenant_` before it, and 63 bytes in all."""

ADD = (
    insert(tenants)
    .values(
        id=bindparam("new_id"),
        slug=bindparam("as_slug"),
        display_name=bindparam("as_name"),
        schema_name=bindparam("in_schema"),
        created_at=moment(),
    )
    .on_conflict_do_nothing()
    .returning(tenants)
)
BY_SLUG = select(tenants).where(tenants.c.slug == bindparam("as_slug"))
BY_ID = select(tenants).where(tenants.c.id == bindparam("of_id", type_=Id))


def add(
    conn: Connection, *, slug: str, display_name: str, tenant_id: UUID | None = None, now: datetime | None = None
) -> UUID:
    """The tenant of that slug, made when there is none; InvalidInput names the field that cannot be stored."""
    row, _ = ensure(conn, slug=slug, display_name=display_name, tenant_id=tenant_id, now=now)
    known: UUID = row.id
    return known


def ensure(
    conn: Connection, *, slug: str, display_name: str, tenant_id: UUID | None = None, now: datetime | None = None
) -> tuple[Row, bool]:
    """The same as its row, and whether it was made now: one that was there keeps its name."""
    if not _SLUG.fullmatch(slug):
        raise InvalidInput("slug", "must be 1 to 63 of a-z 0-9 - and start with a letter or digit")
    name = clean_text(display_name, field="display_name", limit=200)
    if not name:
        raise InvalidInput("display_name", "must not be empty")
    values = {"new_id": tenant_id or new_id(), "as_slug": slug, "as_name": name, "at_now": now}
    for schema_name in _schema_names(slug):
        if made := conn.execute(ADD, {**values, "in_schema": schema_name}).one_or_none():
            return made, True
        if known := conn.execute(BY_SLUG, {"as_slug": slug}).one_or_none():
            return known, False
    raise InvalidInput("slug", "has no schema's name left: other tenants have those it could be given")


def by_id(conn: Connection, *, tenant_id: UUID) -> Row | None:
    """The tenant of that id."""
    return conn.execute(BY_ID, {"of_id": tenant_id}).one_or_none()


def by_slug(conn: Connection, *, slug: str) -> Row | None:
    """The tenant of that slug."""
    return conn.execute(BY_SLUG, {"as_slug": slug}).one_or_none()


def id_of(conn: Connection, *, slug: str) -> UUID | None:
    """The id of the tenant of that slug; None when there is none."""
    row = by_slug(conn, slug=slug)
    return row.id if row else None


def listed(conn: Connection, *, after: str | None = None, limit: int) -> Sequence[Row]:
    """So many tenants in the order of their slugs, those after one slug."""
    return conn.execute(_list(goes_on=after is not None), {"after_slug": after, "at_most": limit}).all()


@cache
def _list(*, goes_on: bool) -> Select[Any]:
    everybody = select(tenants).order_by(tenants.c.slug).limit(bindparam("at_most"))
    return everybody.where(tenants.c.slug > bindparam("after_slug", type_=Text)) if goes_on else everybody


def _schema_names(slug: str) -> Iterator[str]:
    """The slug itself where there is room; else, and where somebody else has that, what of it there is room for."""
    words = slug.replace("-", "_")
    if len(words) <= _ROOM:
        yield f"tenant_{words}"
    digest = hashlib.sha256(slug.encode()).hexdigest()[:12]
    yield f"tenant_{words[: _ROOM - 13]}_{digest}"
