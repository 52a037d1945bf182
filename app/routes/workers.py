"""Workers: each process and its pulse, who can run what, what nobody serves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import capabilities, usual, workers

LISTS = ("present", "gone")


def index(call: Call, conn: Connection) -> Response:
    """The page, or one of its live regions; those that stopped have a list of their own."""
    shown = call.query.get("show", "present")
    if shown not in LISTS:
        raise BadInput(f"show: must be one of {', '.join(LISTS)}.")
    if shown == "gone":
        return _gone(call, conn)
    region = call.region if call.region in ("troubles", "present", "matrix") else None
    limit = timedelta(seconds=call.settings.max_runtime_seconds)
    context: dict[str, Any] = {"figures": call.figures, "limit": limit}
    if region in (None, "troubles"):
        context["hung"] = workers.hung(call.figures, max_runtime=limit)
    if region in (None, "present"):
        context |= _present(call, conn)
    if region in (None, "matrix"):
        context["matrix"] = capabilities.matrix(call.figures)
    if region is None:
        context["gone"] = workers.gone(conn, limit=workers.FOLDED, now=call.now)
    return render(call, "workers/index.html", block=region, **context)


def _present(call: Call, conn: Connection) -> dict[str, Any]:
    page = workers.present(conn, call.figures, cursor=call.query.get("cursor"))
    return {
        "lines": page.lines,
        "first": "/workers" if "cursor" in call.query else None,
        "older": f"/workers?cursor={page.older}" if page.older else None,
        "unserved": {each.job_type for each in call.figures.unserved},
        "usuals": usual.of_hour(call.figures),
    }


def _gone(call: Call, conn: Connection) -> Response:
    page = workers.gone(conn, cursor=call.query.get("cursor"), now=call.now)
    older = f"/workers?show=gone&cursor={page.older}" if page.older else None
    first = "/workers?show=gone" if "cursor" in call.query else None
    return render(call, "workers/gone.html", lines=page.lines, first=first, older=older)
