"""Where an act leads: back to the list it was pressed on, which htmx then redraws in place."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from starlette.responses import Response

from app.templating import see_other
from app.web import Call


def is_over(call: Call, path: str) -> bool:
    """Whether the form is, or was, in the dialog over the page at this path, and not a page of its own."""
    return call.htmx and _current(call).path == path


def go_back(call: Call, path: str) -> Response:
    """To the page at this path: as its reader had it where the dialog lies over it, so that its region is redrawn."""
    if is_over(call, path):
        query = _current(call).query
        return see_other(f"{path}?{query}" if query else path)
    return Response(headers={"HX-Redirect": path}) if call.htmx else see_other(path)


def _current(call: Call) -> SplitResult:
    return urlsplit(call.request.headers.get("hx-current-url", ""))
