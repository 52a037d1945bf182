"""Where signing in leads: on to the page that was asked for, if it is one of ours (A-72)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import Match

from app.lens import split

NOT_FOLLOWED = frozenset({"admin", "health", "live", "sign-in", "sign-out", "static"})


def own_page(request: Request, address: str | None) -> str:
    """The address if it is a page of ours, else the start page."""
    if not address or len(address) > 2000 or any(character <= " " or character == "\\" for character in address):
        return "/"
    path = split(address.partition("?")[0])[1]
    scope = {"type": "http", "method": "GET", "path": path, "root_path": ""}
    known = path.startswith("/") and any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    return address if known and path.split("/")[1] not in NOT_FOLLOWED else "/"
