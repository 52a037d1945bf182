"""Drains of workers, as programs ask for them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.changes import Changed, WithWhy
from worker.database import Connection
from worker.queries import workers
from worker.queries.pages import worker as process


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Ask a worker to finish what it has, claim nothing more, and end; it hears with its next beat."""
    asked, instance = call.read(WithWhy), call.path("instance")
    if process.read(conn, instance_id=instance, now=call.now) is None:
        raise NotFound("Nothing is known of a worker with this id.")
    why = asked.reason or None
    done = workers.request_drain(conn, instance_id=instance, actor=call.actor, reason=why, now=call.now)
    return Document(Changed(changed=done))
