"""Queues: what waits, how fast it moves, who serves it; by queue, by job type or by tenant."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import loads, queues
from worker.queries.pages.queues import Page

VIEWS = {"queue": "By queue", "type": "By job type", "tenant": "By tenant"}


def index(call: Call, conn: Connection) -> Response:
    """The list, or its live region."""
    view = call.query.get("by", "queue")
    if view not in VIEWS:
        raise BadInput(f"by: must be one of {', '.join(VIEWS)}.")
    containing = call.query.get("q", "").strip()
    page = _page(call, conn, view, containing)
    return render(
        call,
        "queues/index.html",
        block="loads" if call.region == "loads" else None,
        view=view,
        views=[(key, label, address(key)) for key, label in VIEWS.items()],
        containing=containing,
        late=sum(load.late for load in loads.by_queue(call.figures)),
        figures=call.figures,
        lines=page.lines,
        first=address(view, containing) if "cursor" in call.query else None,
        older=address(view, containing, page.older) if page.older else None,
    )


def _page(call: Call, conn: Connection, view: str, containing: str) -> Page:
    cursor = call.query.get("cursor")
    if view == "tenant":
        return queues.by_tenant(conn, call.figures, cursor=cursor)
    if view == "type":
        return queues.by_type(conn, call.figures, containing=containing, cursor=cursor)
    return queues.by_queue(call.figures, containing=containing, cursor=cursor)


def address(view: str, containing: str = "", cursor: str | None = None) -> str:
    """Where a view of the list is, without what it can do without."""
    parts = {"by": view if view != "queue" else "", "q": containing, "cursor": cursor or ""}
    query = urlencode({key: value for key, value in parts.items() if value})
    return f"/queues?{query}" if query else "/queues"
