"""Cancel jobs: at once what does not run, by request what does."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.press import Kind
from app.web import Call
from worker.database import Connection
from worker.model import Status
from worker.queries.bulk_acts.acts import Action
from worker.queries.pages.states import State

CANCEL = Kind(
    Action.CANCEL,
    "cancellations/new.html",
    moves={State.READY, State.SCHEDULED, State.RETRYING, State.DEAD, State.RUNNING},
    lists={Status.FAILED, Status.QUEUED, Status.RUNNING, State.READY, State.SCHEDULED, State.RETRYING},
    needs_reason=True,
)


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, CANCEL)


def create(call: Call, conn: Connection) -> Response:
    """Cancel what was chosen; what has ended already is left as it is."""
    return press.create(call, conn, CANCEL)


def create_one(call: Call, conn: Connection) -> Response:
    """Cancel the job of this address."""
    return press.create_one(call, conn, CANCEL)
