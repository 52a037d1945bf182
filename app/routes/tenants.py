"""Tenants: who there is, how far each is set up, and its open work."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import tenants
from worker.queries.pages.tenants import STATES

MAX_SEARCH = 200


def index(call: Call, conn: Connection) -> Response:
    """The list, or its live region."""
    state = call.query.get("state") or None
    if state and state not in STATES:
        raise BadInput(f"state: must be one of {', '.join(STATES)}.")
    containing = clean_text(call.query.get("q", ""), field="q", limit=MAX_SEARCH)
    page = tenants.page(conn, containing=containing, state=state, cursor=call.query.get("cursor"), now=call.now)
    counts = call.figures.tenants
    narrowed = [(key, key.capitalize(), _address(key, containing), counts.get(key)) for key in STATES]
    return render(
        call,
        "tenants/index.html",
        block="tenants" if call.region == "tenants" else None,
        state=state,
        states=[("", "All", _address(None, containing), sum(counts.values())), *narrowed],
        containing=containing,
        lines=page.lines,
        first=_address(state, containing) if "cursor" in call.query else None,
        older=_address(state, containing, page.older) if page.older else None,
    )


def _address(state: str | None, containing: str, cursor: str | None = None) -> str:
    parts = {"state": state, "q": containing, "cursor": cursor}
    query = urlencode({key: value for key, value in parts.items() if value})
    return f"/tenants?{query}" if query else "/tenants"
