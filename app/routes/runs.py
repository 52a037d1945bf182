"""Run now: make jobs due that wait for their time, or for their next try."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.kinds import RUN
from app.web import Call
from worker.database import Connection


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, RUN)


def create(call: Call, conn: Connection) -> Response:
    """Make what was chosen due now."""
    return press.create(call, conn, RUN)


def create_one(call: Call, conn: Connection) -> Response:
    """Make the job of this address due now."""
    return press.create_one(call, conn, RUN)
