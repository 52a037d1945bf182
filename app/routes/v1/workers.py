"""Workers, as programs read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.audit import Done
from app.shapes.workers import EndedAttempt, Held, Process, WorkerPage, WorkersWanted, WorkerWanted
from worker.database import Connection
from worker.queries.pages import attempts, audit, roster, worker

ATTEMPTS, ACTS = 25, 10


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List every worker process, stopped ones too, the last to start first."""
    asked = call.wanted(WorkersWanted)
    found = roster.read(conn, hours=asked.hours, limit=asked.limit, cursor=asked.cursor, now=call.now)
    return Document(WorkerPage.model_validate(found))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one worker process: what it runs now, how its last attempts ended, who asked it to drain."""
    cursor = call.wanted(WorkerWanted).cursor
    found = worker.read(conn, instance_id=call.path("instance"), now=call.now)
    if found is None:
        raise NotFound("There is no worker of this id, or nothing is known of it any more.")
    name = found.row.instance_id
    ended = attempts.of_worker(conn, instance_id=name, limit=ATTEMPTS, cursor=cursor)
    acts = audit.of_target(conn, target=name, actions=("drain",), limit=ACTS)
    more = {
        "state": found.state,
        "busy": found.busy,
        "holds": [Held.model_validate(row) for row in found.holds],
        "ended": [EndedAttempt.model_validate(each) for each in ended.attempts],
        "next_cursor": ended.next_cursor,
        "others": [row.instance_id for row, _ in worker.others(conn, found)],
        "acts": [Done.model_validate(act) for act in acts],
    }
    return Document(Process.model_validate({**found.row._mapping, **more}))
