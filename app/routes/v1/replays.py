"""Replays, as programs order them."""

from __future__ import annotations

from starlette.responses import Response

from app import ordering
from app.api import ApiCall, in_transaction
from app.kinds import REPLAY
from app.shapes.changes import WithWhy
from app.shapes.orders import NewAct
from worker.database import Connection


@in_transaction
def preview(call: ApiCall, conn: Connection) -> Response:
    """Look what would become of dead letters that were replayed.

    Nothing is done: it is what the form of the page says.
    """
    return ordering.preview(call, conn, REPLAY, NewAct)


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Replay dead letters: some, or all that match.

    201 when it was made, 200 when it was before under the same Idempotency-Key. Many jobs are moved by and by.
    """
    return ordering.create(call, conn, REPLAY, NewAct)


@in_transaction
def create_one(call: ApiCall, conn: Connection) -> Response:
    """Replay one dead letter."""
    return ordering.create_one(call, conn, REPLAY, WithWhy)
