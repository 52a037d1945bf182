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
from worker.errors import InvalidInput
from worker.queries.pages import queue, queues
from worker.queries.pages.queues import Page
from worker.settings import queue_name


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the queues, or the tenants, the fullest first: what waits, how fast it moves, who takes it."""
    asked = call.wanted(QueuesWanted)
    page = _page(call, conn, asked)
    return Document(LoadPage(at=call.figures.at, loads=[Load.of(each) for each in page.lines], next_cursor=page.older))


def _page(call: ApiCall, conn: Connection, asked: QueuesWanted) -> Page:
    if asked.by == "queue":
        return queues.by_queue(call.figures, containing=asked.q.strip(), cursor=asked.cursor)
    if asked.q:
        raise InvalidInput("q", "narrows queues; tenants are found at /api/v1/tenants")
    page = queues.by_tenant(conn, call.figures, cursor=asked.cursor)
    return Page([line.load for line in page.lines], page.older)


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one queue: how it stands, why what is there waits, how it went, who paused it; empty ones, too."""
    try:
        name = queue_name(call.path("queue"))
    except ValueError:
        raise NotFound from None
    return Document(told(call, conn, Subject("queue", name), queue.of_queue, asked=call.wanted(StandingWanted)))
