"""The page of one job, whatever was done before it is shown."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import error_trace, payload, said, timeline, traces, trail
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.queries import copies
from worker.queries.pages import fleet
from worker.queries.pages import job as story
from worker.queries.pages.states import State
from worker.redaction import OPEN, Redaction

WAITING = (State.READY, State.SCHEDULED, State.RETRYING)
MAX_EDITED_BYTES = 200_000
GONE = "There is no job with this id. Jobs that came from an event are pruned some time after their end."


def found(call: Call, conn: Connection) -> Row:
    """The job that the address names; the answer of what is not found when there is none."""
    job = story.read(conn, job_id=call.uuid("job"), now=call.now)
    if job is None:
        raise NotFound(GONE)
    if call.lens and job.tenant_id != call.lens.id:
        raise NotFound(f"This job is none of {call.lens.slug}'s.", title="Not in this lens")
    return job


def closed(call: Call, job: Row) -> Redaction:
    """What of its payload is closed to the eye."""
    return call.registry.redaction(job_type=job.job_type, subscriber_id=job.subscriber_id)


def uncopied(job: Row) -> str | None:
    """Why no copy of the job is made here; None where it can be."""
    if job.payload_bytes > MAX_EDITED_BYTES:
        return f"Its payload of {job.payload_bytes:,} bytes is more than what is edited on a page"
    return copies.refusal(job)


def shown(call: Call, conn: Connection, job: Row, *, revealed: bool = False) -> Response:
    """The page, or its live region; `revealed` shows what is closed to the reader of this answer."""
    attempts, actions = story.attempts(conn, job_id=job.id), story.actions(conn, job_id=job.id)
    return render(
        call,
        "jobs/show.html",
        block="job" if call.region == "job" else None,
        region=call.region,
        job=job,
        attempts=attempts,
        timeline=timeline.of(job, attempts, actions),
        trail=trail.of(job, attempts, actions),
        payload=payload.of(job, OPEN if revealed else closed(call, job)),
        revealed=revealed,
        error=error_trace.of(job.error_detail) if job.error_detail else [],
        uncopied=uncopied(job),
        copies=copies.of(conn, job_id=job.id),
        siblings=story.siblings(conn, event_id=job.event_id, now=call.now) if job.event_id else [],
        said=said.said(call, conn),
        **traces.of(call.settings, job),
        **_why(call, conn, job),
    )


def _why(call: Call, conn: Connection, job: Row) -> dict[str, Any]:
    """What holds the job, or what it waits for, or what shares its fate."""
    waits = job.state in WAITING
    takers = call.figures.takers(job.job_type, job.queue) if waits else []
    last = fleet.last_able(conn, job_types=[job.job_type]) if waits and not takers else {}
    dead = job.state == State.DEAD and job.error_fingerprint
    ready = job.state == State.READY
    return {
        "takers": takers,
        "last_able": last.get(job.job_type),
        "pause": call.figures.paused.get(job.queue) if waits else None,
        "holder": next((each for each in call.figures.workers if each.instance_id == job.locked_by), None),
        "alike": story.alike(conn, fingerprint=job.error_fingerprint, tenant_id=call.lens_id) if dead else 0,
        "ahead": story.ahead(conn, queue=job.queue, created_at=job.created_at, job_id=job.id) if ready else 0,
    }
