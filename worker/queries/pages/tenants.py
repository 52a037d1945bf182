"""The Tenants page: who there is, how far each is set up, and the open work of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, and_, bindparam, or_, select

from worker.database import lowered, position
from worker.queries.pages import cursors, provisioning, tenant_loads
from worker.queries.pages.provisioning import Provisioning
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

PAGE = 50

_of_tenant = job.alias("of_tenant")
_newest = (
    select(_of_tenant.c.updated_at)
    .where(_of_tenant.c.tenant_id == tenant.c.id)
    .order_by(_of_tenant.c.created_at.desc(), _of_tenant.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
_rows = (
    select(
        *provisioning.FACTS,
        tenant.c.display_name,
        tenant.c.onboarding_status,
        tenant.c.created_at,
        _newest.label("active_at"),
    )
    .select_from(provisioning.TENANTS)
    .order_by(tenant.c.slug)
    .limit(PAGE + 1)
)
_wanted = lowered(bindparam("containing", type_=Text))
_CONTAINING = or_(
    position(tenant.c.slug, _wanted) > 0,
    position(lowered(tenant.c.display_name), _wanted) > 0,
    tenant.c.id.cast(Text) == _wanted,
)
_AFTER = tenant.c.slug > bindparam("after_slug", type_=Text)


def _is(status: str) -> ColumnElement[bool]:
    return tenant.c.onboarding_status == status


STATES = {
    "created": _is("created"),
    "provisioning": _is("provisioning"),
    "stopped": and_(_is("provisioning"), or_(provisioning.FAILED, provisioning.AGAIN)),
    "active": _is("active"),
    "suspended": _is("suspended"),
}
"""What the list may be narrowed to; `stopped` is provisioning that failed, was cancelled or is being tried again."""


@dataclass(frozen=True, slots=True)
class Line:
    """One tenant: its row, its provisioning, and its open work when it has any."""

    row: Any
    provisioning: Provisioning
    load: Any


@dataclass(frozen=True, slots=True)
class Page:
    """Some tenants, and the cursor of the next page when there is one."""

    lines: list[Line]
    older: str | None


def page(
    conn: Connection, *, containing: str = "", state: str | None = None, cursor: str | None = None, now: datetime
) -> Page:
    """Tenants in the order of their slugs, narrowed to a text in slug or name and to one of STATES."""
    after = cursors.decode(cursor, cursors.name)[0] if cursor else None
    statement = _rows.where(*_narrowed(containing, state, after))
    rows = conn.execute(statement, {"containing": containing, "after_slug": after}).all()
    shown = rows[:PAGE]
    loads = tenant_loads.of(conn, tenant_ids=[row.id for row in shown], now=now)
    lines = [Line(row, provisioning.of(row), loads.get(row.id)) for row in shown]
    return Page(lines, cursors.encode(shown[-1].slug) if len(rows) > PAGE else None)


def _narrowed(containing: str, state: str | None, after: str | None) -> Iterator[ColumnElement[bool]]:
    if containing:
        yield _CONTAINING
    if state:
        yield STATES[state]
    if after is not None:
        yield _AFTER
