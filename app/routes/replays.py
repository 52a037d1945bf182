"""Replay dead letters: one, some, or a whole kind."""

from __future__ import annotations

from starlette.responses import Response

from app import press
from app.press import Kind
from app.web import Call
from worker.database import Connection
from worker.model import Status
from worker.queries.bulk_acts.acts import Action
from worker.queries.pages.states import State

REPLAY = Kind(Action.REPLAY, "replays/new.html", moves={State.DEAD}, lists={Status.FAILED})


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return press.new(call, conn, REPLAY)


def create(call: Call, conn: Connection) -> Response:
    """Replay what was chosen."""
    return press.create(call, conn, REPLAY)


def create_one(call: Call, conn: Connection) -> Response:
    """Replay the dead letter of this address."""
    return press.create_one(call, conn, REPLAY)
