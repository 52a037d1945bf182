"""Copies, as programs make them: a job put in again with another payload."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.responses import Response

from app import payload_edit
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import Conflict, NotFound
from app.repeats import made_id
from app.shapes.job_changes import MadeCopy, NewCopy
from worker.database import Connection, Row
from worker.errors import UnknownJobType
from worker.queries import cancellations, copies
from worker.queries.copies import Original
from worker.queries.pages import job as story
from worker.queries.pages.states import State


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Put a job in again with another payload; each is linked to the other.

    201 when it was made, 200 when it was before under the same Idempotency-Key.
    """
    asked, job = call.read(NewCopy), story.read(conn, job_id=call.uuid("job"), now=call.now)
    if job is None:
        raise NotFound("There is no job with this id.")
    if why_not := copies.refusal(job):
        raise Conflict(f"{why_not}.")
    queue, payload, key = asked.queue or job.queue, _restored(call, conn, job, asked.payload), made_id(call)
    how: dict[str, Any] = {"payload": payload, "queue": queue}
    if key and copies.is_made(conn, copy_id=key, original_id=job.id, **how):
        return Document(MadeCopy(id=key, copy_of=job.id))
    made = _make(call, conn, job, copy_id=key, reason=asked.reason, **how)
    if asked.cancel and job.state == State.DEAD:
        cancellations.cancel(conn, job_ids=[job.id], actor=call.actor, reason=asked.reason, now=call.now)
    return Document(MadeCopy(id=made, copy_of=job.id), 201)


def _make(call: ApiCall, conn: Connection, job: Row, **how: Any) -> UUID:
    original, job_types = Original.of(job), call.registry.job_types
    try:
        return copies.make(conn, job_types, original, actor=call.actor, now=call.now, **how)
    except UnknownJobType:
        raise Conflict("This console does not know the job's type, so it puts in none of them.") from None


def _restored(call: ApiCall, conn: Connection, job: Row, payload: dict[str, Any]) -> Any:
    """The payload with the original's own values where a mark of what is closed was left standing."""
    closed = call.registry.redaction(job_type=job.job_type, subscriber_id=job.subscriber_id)
    return payload_edit.completed(payload, story.payload(conn, job_id=job.id) or "null", closed)
