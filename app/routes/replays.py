"""Replay dead letters: one, some, or a whole kind."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.kinds import REPLAY
from app.web import Call
from worker.database import Connection


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, REPLAY)


def create(call: Call, conn: Connection) -> Response:
    """Replay what was chosen."""
    return press.create(call, conn, REPLAY)


def create_one(call: Call, conn: Connection) -> Response:
    """Replay the dead letter of this address."""
    return press.create_one(call, conn, REPLAY)
