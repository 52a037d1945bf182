"""Cancel jobs: at once what does not run, by request what does."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.kinds import CANCEL
from app.web import Call
from worker.database import Connection


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, CANCEL)


def create(call: Call, conn: Connection) -> Response:
    """Cancel what was chosen; what has ended already is left as it is."""
    return press.create(call, conn, CANCEL)


def create_one(call: Call, conn: Connection) -> Response:
    """Cancel the job of this address."""
    return press.create_one(call, conn, CANCEL)
