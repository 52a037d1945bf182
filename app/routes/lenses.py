"""Lenses: choose the tenant that the whole console is about, or all of them again."""

from __future__ import annotations

from starlette.responses import Response

from app.following import own_page
from app.lens import split
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import tenant_names

MAX_SEARCH = 200
_BLOCKS = {"dialog": "sheet", "lens-tenants": "tenants"}


def new(call: Call, conn: Connection) -> Response:
    """Some tenants to choose from; `at` is the page that each choice leads to."""
    containing = clean_text(call.query.get("q", ""), field="q", limit=MAX_SEARCH)
    _, at = split(own_page(call.request, call.query.get("at")))
    found = tenant_names.read(conn, containing=containing)
    return render(
        call,
        "lens/new.html",
        block=_BLOCKS.get(call.region or ""),
        page=at.partition("?")[0].strip("/") or "overview",
        at=at,
        containing=containing,
        found=found[: tenant_names.SHOWN],
        more=len(found) > tenant_names.SHOWN,
    )
