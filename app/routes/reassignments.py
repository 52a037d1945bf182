"""Reassign: have jobs that wait do so in another queue."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.press import Kind
from app.web import Call
from worker.database import Connection
from worker.model import Status
from worker.queries.bulk_acts.acts import Action
from worker.queries.pages.states import State

_WAITING = {State.READY, State.SCHEDULED, State.RETRYING}
REASSIGN = Kind(Action.REASSIGN, "reassignments/new.html", moves=_WAITING, lists={*_WAITING, Status.QUEUED})


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, REASSIGN)


def create(call: Call, conn: Connection) -> Response:
    """Move what was chosen."""
    return press.create(call, conn, REASSIGN)
