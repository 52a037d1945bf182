"""Every word of the console, explained."""

from __future__ import annotations

from starlette.responses import Response

from app.help import SECTIONS
from app.templating import render
from app.web import Call
from worker.database import Connection


def index(call: Call, conn: Connection) -> Response:
    """One page of all there is to explain, so that the browser's own search finds it."""
    return render(call, "help/index.html", sections=SECTIONS)
