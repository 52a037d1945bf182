"""One job type or subscriber: how it stands on each queue, why it waits, how it went, and what was declared of it."""

from __future__ import annotations

from starlette.responses import Response

from app import standing
from app.errors import NotFound
from app.standing import Subject
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import queue

LENGTH = 200


def show(call: Call, conn: Connection) -> Response:
    """The page, or one of its live regions; a type that never ran has one, too."""
    name = call.path("type")
    if clean_text(name, field="type", limit=LENGTH) != name:
        raise NotFound
    subject = Subject("handler", name)
    known = call.registry.subscribers.get(name)
    told = call.registry.guidance(job_type=name, subscriber_id=name if known else None)
    return standing.show(call, conn, subject, queue.of_handler, told=told)
