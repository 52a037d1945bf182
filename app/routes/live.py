"""The stream of what changed."""

from __future__ import annotations

from starlette.responses import Response, StreamingResponse

from app.console import console_of
from app.errors import TooMany
from app.web import Call
from worker.database import Connection


def show(call: Call, conn: Connection) -> Response:
    """Open the operator's stream; it holds no connection of the database."""
    live = console_of(call.request).live
    assert call.operator
    if live.watching(call.operator) >= call.settings.streams_per_operator:
        raise TooMany("You have many windows open here: close one.", headers={"Retry-After": "60"})
    if call.request.method == "HEAD":
        return Response(media_type="text/event-stream")
    token_hash, tenant_id = call.request.state.visit.token_hash, call.lens.id if call.lens else None
    events = live.stream(call.operator, token_hash, dict(call.query), tenant_id=tenant_id)
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
