"""The tenants, as programs add and list them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app.api import ApiCall
from app.documents import Document
from app.errors import BadInput, Conflict
from app.shapes import MOST
from app.shapes.admin import NewTenant
from worker.database import Row
from worker.errors import UnknownTenant
from worker.queries import audit, tenants
from worker.queries.pages import cursors

LIST = "/admin/tenants"


def index(call: ApiCall) -> Response:
    """List the tenants in the order of their slugs; `next` is the address of the page after it."""
    limit, after = _limit(call), call.query.get("after")
    last = cursors.decode(after, cursors.name)[0] if after else None
    with call.engine.begin() as conn:
        rows = tenants.listed(conn, after=last, limit=limit + 1)
    shown = rows[:limit]
    more = f"{LIST}?limit={limit}&after={cursors.encode(shown[-1].slug)}" if len(rows) > limit else None
    headers = {"Link": f'<{more}>; rel="next"'} if more else {}
    return Document({"tenants": [_document(row) for row in shown], "next": more}, headers=headers)


def create(call: ApiCall) -> Response:
    """Add a tenant: 201 when it is new, 200 when it is there by the same name, 409 when by another."""
    asked = call.read(NewTenant)
    with call.engine.begin() as conn:
        row, created = tenants.ensure(conn, slug=asked.slug, display_name=asked.display_name, now=call.now)
        if created:
            audit.record(conn, actor=call.actor, action="tenant-add", target=row.slug, tenant_id=row.id, now=call.now)
    if row.display_name != asked.display_name.strip():
        raise Conflict("A tenant has that slug, and another name.")
    return Document(_document(row), 201 if created else 200, {"Location": f"{LIST}/{row.id}"})


def show(call: ApiCall) -> Response:
    """Read one tenant."""
    with call.engine.begin() as conn:
        row = tenants.by_id(conn, tenant_id=call.tenant)
    if row is None:
        raise UnknownTenant
    return Document(_document(row))


def _limit(call: ApiCall) -> int:
    asked = call.query.get("limit", "50")
    if asked.isascii() and asked.isdecimal() and len(asked) < 4 and 1 <= int(asked) <= MOST:
        return int(asked)
    raise BadInput(f"limit: must be a whole number from 1 to {MOST}.")


def _document(row: Row) -> dict[str, Any]:
    names = ("id", "slug", "display_name", "onboarding_status", "created_at", "activated_at")
    return {name: row._mapping[name] for name in names}
