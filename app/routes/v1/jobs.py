"""Jobs, as programs look for them and read them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import job_search, payload_edit, payload_parts, traces
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.jobs import Attempt, Copy, Job, JobAction, JobLine, JobPage, JobsWanted, Sibling, value_of
from worker.database import Connection, Row
from worker.queries import copies
from worker.queries.pages import job, jobs


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """Look for jobs.

    Without a filter all of them, the newest first. A search that looked at many rows stops and says so.
    """
    asked = call.wanted(JobsWanted)
    wanted = job_search.read(call, asked)
    tenant_id = job_search.tenant(conn, wanted)
    page = jobs.read(conn, wanted, tenant_id=tenant_id, before=asked.cursor, most=asked.limit, now=call.now)
    lines = [JobLine.model_validate(row) for row in page.rows]
    return Document(JobPage(jobs=lines, next_cursor=page.older, looked_at=page.looked_at))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one job: its row, attempts, payload, the trail, the other jobs of its event."""
    row = job.read(conn, job_id=call.uuid("job"), now=call.now)
    if row is None:
        raise NotFound("There is no job with this id.")
    siblings = job.siblings(conn, event_id=row.event_id, now=call.now) if row.event_id else []
    more: dict[str, Any] = {
        **traces.of(call.settings, row),
        "payload": _payload(call, row),
        "attempts_made": [Attempt.model_validate(each) for each in job.attempts(conn, job_id=row.id)],
        "actions": [JobAction.model_validate(each) for each in job.actions(conn, job_id=row.id)],
        "siblings": [Sibling.model_validate(each) for each in siblings if each.id != row.id],
        "copies": [Copy.model_validate(each) for each in copies.of(conn, job_id=row.id)],
    }
    return Document(Job.model_validate({**row._mapping, **traces.of(call.settings, row), **more}))


def _payload(call: ApiCall, row: Row) -> Any:
    """The payload as the page shows it, what is closed or sealed as a mark."""
    closed = call.registry.redaction(job_type=row.job_type, subscriber_id=row.subscriber_id)
    return value_of(payload_edit.text_of(payload_parts.of(row.payload, closed)))
