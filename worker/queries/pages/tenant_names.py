"""Tenants by what they are called, to choose one of a hundred thousand."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Select, Text, bindparam, or_, select, union

from worker.database import Row, lowered, position
from worker.queries.schema import tenants as tenant

SHOWN = 20
LOOKED_AT = 10_000
"""Tenants that are looked through for a word within; by how its slug begins, any is found."""

_COLUMNS = (tenant.c.slug, tenant.c.display_name)
_word = lowered(bindparam("word", type_=Text))
FIRST = select(*_COLUMNS).order_by(tenant.c.slug).limit(SHOWN + 1)


def _named() -> Select[tuple[str, str]]:
    begun = select(*_COLUMNS).where(tenant.c.slug >= _word).order_by(tenant.c.slug).limit(SHOWN + 1).subquery("begun")
    some = select(*_COLUMNS).order_by(tenant.c.slug).limit(LOOKED_AT).subquery("some")
    within = or_(position(some.c.slug, _word) > 0, position(lowered(some.c.display_name), _word) > 0)
    having = select(some).where(within).order_by(some.c.slug).limit(SHOWN + 1).subquery("having")
    found = union(select(begun).where(position(begun.c.slug, _word) == 1), select(having)).subquery("found")
    foremost = position(found.c.slug, _word) != 1
    return select(found.c.slug, found.c.display_name).order_by(foremost, found.c.slug).limit(SHOWN + 1)


NAMED = _named()


def read(conn: Connection, *, containing: str) -> Sequence[Row]:
    """Those whose slug begins so, then those that have it in slug or name: one more than are shown, if there are."""
    return conn.execute(NAMED, {"word": containing}).all() if containing else conn.execute(FIRST).all()
