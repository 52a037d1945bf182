"""Queues, as programs read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.queues import Load, LoadPage, QueuesWanted, StandingWanted
from app.standing import Subject
from app.standing_told import told
from worker.database import Connection
from worker.queries.pages import queue, queues
from worker.settings import queue_name


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the queues, the fullest first: what waits, how fast it moves, who takes it."""
    asked = call.wanted(QueuesWanted)
    page = queues.by_queue(call.figures, containing=asked.q.strip(), cursor=asked.cursor)
    loads = [Load.of(each) for each in page.lines]
    return Document(LoadPage(at=call.figures.at, loads=loads, next_cursor=page.older))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one queue: how it stands, why what is there waits, how it went, who paused it; empty ones, too."""
    try:
        name = queue_name(call.path("queue"))
    except ValueError:
        raise NotFound from None
    return Document(told(call, conn, Subject("queue", name), queue.of_queue, asked=call.wanted(StandingWanted)))
