"""Pauses of queues, as programs ask for them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.ends import ahead
from app.errors import NotFound
from app.shapes.changes import Changed, WithWhy
from app.shapes.queue_changes import NewEnd, NewPause
from worker.database import Connection
from worker.queries import queues
from worker.settings import queue_name


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Let no worker claim from a queue, until a time or until somebody resumes it; a pause in force stays as it is."""
    asked, queue = call.read(NewPause), _queue(call)
    how: dict[str, Any] = {"reason": asked.reason, "until": ahead(asked.until, now=call.now), "now": call.now}
    return Document(Changed(changed=queues.pause(conn, queue=queue, actor=call.actor, **how)))


@in_transaction
def change_end(call: ApiCall, conn: Connection) -> Response:
    """Let a pause that is in force end at another time, or only when somebody resumes."""
    asked, queue = call.read(NewEnd), _queue(call)
    how: dict[str, Any] = {"reason": asked.reason or None, "until": ahead(asked.until, now=call.now), "now": call.now}
    return Document(Changed(changed=queues.change_end(conn, queue=queue, actor=call.actor, **how)))


@in_transaction
def delete(call: ApiCall, conn: Connection) -> Response:
    """Let workers claim from a queue again."""
    asked, queue = call.read(WithWhy), _queue(call)
    done = queues.resume(conn, queue=queue, actor=call.actor, reason=asked.reason or None, now=call.now)
    return Document(Changed(changed=done))


def _queue(call: ApiCall) -> str:
    try:
        return queue_name(call.path("queue"))
    except ValueError:
        raise NotFound("No queue can have that name.") from None
