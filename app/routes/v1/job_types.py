"""Job types and subscribers, as programs read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.queues import Load, LoadPage, NamesWanted, StandingWanted
from app.standing import Subject
from app.standing_told import told
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import queue, queues

LENGTH = 200


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the job types and subscribers, the fullest first: what waits, how fast it moves, who takes it."""
    asked = call.wanted(NamesWanted)
    page = queues.by_type(conn, call.figures, containing=asked.q.strip(), cursor=asked.cursor)
    loads = [Load.of(each) for each in page.lines]
    return Document(LoadPage(at=call.figures.at, loads=loads, next_cursor=page.older))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one job type or subscriber: how it stands on each queue, why it waits, how it went, what was declared."""
    name = call.path("type")
    if clean_text(name, field="type", limit=LENGTH) != name:
        raise NotFound
    known = call.registry.subscribers.get(name)
    declared = call.registry.guidance(job_type=name, subscriber_id=name if known else None)
    asked = call.wanted(StandingWanted)
    return Document(told(call, conn, Subject("handler", name), queue.of_handler, asked=asked, declared=declared))
