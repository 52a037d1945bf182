"""Reveals: what of a payload is closed to the eye, shown once to whoever asks, which the audit trail keeps."""

from __future__ import annotations

from starlette.responses import Response

from app import job_page, payload
from app.answers import is_over
from app.choice import reason, sentence
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.queries import reveals


def new(call: Call, conn: Connection) -> Response:
    """The form that asks why."""
    return _form(call, job_page.found(call, conn))


def create(call: Call, conn: Connection) -> Response:
    """The payload as it is stored; what only a worker's key opens stays closed."""
    job = job_page.found(call, conn)
    try:
        why = reason(call, required=True)
    except InvalidInput as refusal:
        return _form(call, job, problem=sentence(refusal))
    reveals.record(conn, job_id=job.id, tenant_id=job.tenant_id, actor=call.actor, reason=why, now=call.now)
    if call.region == "payload":
        return render(call, "jobs/show.html", block="payload", job=job, payload=payload.of(job), revealed=True)
    return job_page.shown(call, conn, job, revealed=True)


def _form(call: Call, job: Row, *, problem: str | None = None) -> Response:
    return render(
        call,
        "jobs/reveal.html",
        block="sheet" if call.region == "dialog" else None,
        status=422 if problem else 200,
        job=job,
        payload=payload.of(job, job_page.closed(call, job)),
        problem=problem,
        target="#payload" if is_over(call, f"/jobs/{job.id}") else "#main",
    )
