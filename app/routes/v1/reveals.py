"""Reveals, as programs ask for them: a payload laid open, which the audit trail keeps."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import payload_edit, payload_parts
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.changes import NeedsWhy
from app.shapes.job_changes import Revealed
from app.shapes.jobs import value_of
from worker.database import Connection
from worker.queries import reveals
from worker.queries.pages import job as story
from worker.redaction import OPEN


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Read a payload with what its handler closes to the eye; that is in the trail."""
    asked, job = call.read(NeedsWhy), story.read(conn, job_id=call.uuid("job"), now=call.now)
    if job is None:
        raise NotFound("There is no job with this id.")
    whose: dict[str, Any] = {"actor": call.actor, "reason": asked.reason, "now": call.now}
    reveals.record(conn, job_id=job.id, tenant_id=job.tenant_id, **whose)
    stored = story.payload(conn, job_id=job.id) or "null"
    shown = payload_edit.text_of(payload_parts.of(stored, OPEN))
    return Document(Revealed(payload=value_of(shown)))
