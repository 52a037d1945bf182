"""What programs do to an act: abort it, go on with it, undo it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import Conflict, NotFound
from app.shapes.acts import Act
from worker.database import Connection, Row
from worker.queries.bulk_acts import acts, undo, work


@in_transaction
def abort(call: ApiCall, conn: Connection) -> Response:
    """Leave what is left of an act as it is."""
    return _moved(call, conn, work.abort, "Nothing is left of it to abort.")


@in_transaction
def resume(call: ApiCall, conn: Connection) -> Response:
    """Go on with an act that stopped by itself."""
    return _moved(call, conn, work.resume, "It does not stand still.")


@in_transaction
def take_back(call: ApiCall, conn: Connection) -> Response:
    """Put back what an act moved and nobody moved since."""
    return _moved(call, conn, undo.undo, "There is nothing to undo any more.")


def _moved(call: ApiCall, conn: Connection, move: Callable[..., Row | None], why_not: str) -> Response:
    act_id = call.uuid("act")
    if acts.get(conn, act_id=act_id, now=call.now) is None:
        raise NotFound("There is no act with this id. Acts are pruned some time after their end.")
    act = move(conn, act_id=act_id, actor=call.actor, now=call.now)
    if act is None:
        raise Conflict(why_not)
    return Document(Act.of(act))
