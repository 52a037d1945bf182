"""Reassign: have jobs that wait do so in another queue."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.kinds import REASSIGN
from app.web import Call
from worker.database import Connection


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, REASSIGN)


def create(call: Call, conn: Connection) -> Response:
    """Move what was chosen."""
    return press.create(call, conn, REASSIGN)
