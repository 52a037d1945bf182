"""What an act answers with: a toast on the page it was pressed on, or the way back where no script runs."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.responses import Response

from app.templating import render, see_other
from app.web import Call


def accepted(
    call: Call, text: str, *, back: str, topics: str, undo: str | None = None, fields: Mapping[str, str] | None = None
) -> Response:
    """Say that it is done, and let the regions that watch these topics look again; `undo` takes it back."""
    if not call.htmx:
        return see_other(back)
    if _stands_alone(call):
        return Response(headers={"HX-Redirect": back})
    headers = {"HX-Trigger": ", ".join(f"live:{topic}" for topic in topics.split())}
    if call.region:  # an undo has no region to redraw: its toast gives way to the new one
        headers |= {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend"}
    return render(call, "answers/toast.html", block="toast", headers=headers, text=text, undo=undo, fields=fields or {})


def _stands_alone(call: Call) -> bool:
    """Whether the form was a page of its own, and not in the dialog over another page."""
    return urlsplit(call.request.headers.get("hx-current-url", "")).path == call.request.url.path
