"""One queue: how it stands, why what is there waits, how it went, and who did what to it."""

from __future__ import annotations

from starlette.responses import Response

from app import standing
from app.errors import NotFound
from app.standing import Subject
from app.web import Call
from worker.database import Connection
from worker.queries.pages import queue
from worker.settings import queue_name


def show(call: Call, conn: Connection) -> Response:
    """The page, or one of its live regions; a queue that holds nothing has one, too."""
    try:
        name = queue_name(call.path("queue"))
    except ValueError:
        raise NotFound from None
    return standing.show(call, conn, Subject("queue", name), queue.of_queue)
