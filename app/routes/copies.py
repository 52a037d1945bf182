"""Copies: a job put in again with another payload, linked to its original both ways."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.responses import Response

from app import job_page, payload_edit, payload_parts
from app.choice import reason, sentence
from app.errors import Conflict
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection, Row
from worker.errors import InvalidInput, UnknownJobType
from worker.queries import cancellations, copies
from worker.queries.copies import Original
from worker.queries.pages import job as story
from worker.queries.pages.states import State


def new(call: Call, conn: Connection) -> Response:
    """The payload to edit."""
    job, stored = _copied(call, conn)
    text = payload_edit.text_of(payload_parts.of(stored, job_page.closed(call, job)))
    return _form(call, job, text=text, queue=job.queue)


def create(call: Call, conn: Connection) -> Response:
    """The copy's own page, once it is put in."""
    job, stored = _copied(call, conn)
    text, queue = str(call.form.get("payload", "")), str(call.form.get("queue", "")).strip()
    try:
        why = reason(call, required=True)
        payload = payload_edit.completed(payload_edit.parsed(text), stored, job_page.closed(call, job))
        made = _make(call, conn, job, payload=payload, queue=queue, reason=why)
    except InvalidInput as refusal:
        return _form(call, job, text=text, queue=queue, problems={refusal.field: sentence(refusal)})
    except UnknownJobType:
        raise Conflict("This console does not know the job's type, so it puts in none of them.") from None
    if call.form.get("cancel") and job.state == State.DEAD:
        cancellations.cancel(conn, job_ids=[job.id], actor=call.actor, reason=why, now=call.now)
    return Response(headers={"HX-Redirect": f"/jobs/{made}"}) if call.htmx else see_other(f"/jobs/{made}")


def _make(call: Call, conn: Connection, job: Row, **changed: Any) -> UUID:
    original = Original.of(job)
    return copies.make(conn, call.registry.job_types, original, actor=call.actor, now=call.now, **changed)


def _copied(call: Call, conn: Connection) -> tuple[Row, str]:
    """The job and all of its payload; the answer of a conflict where it cannot be copied."""
    job = job_page.found(call, conn)
    stored = story.payload(conn, job_id=job.id)
    why_not = job_page.uncopied(job) or (None if stored is not None else "It was pruned a moment ago.")
    if why_not or stored is None:
        raise Conflict(why_not or "")
    return job, stored


def _form(call: Call, job: Row, *, text: str, queue: str, problems: dict[str, str] | None = None) -> Response:
    return render(
        call,
        "jobs/copy.html",
        block="sheet" if call.region == "dialog" else None,
        status=422 if problems else 200,
        job=job,
        text=text,
        queue=queue,
        why=str(call.form.get("reason", "")),
        guidance=call.registry.guidance(job_type=job.job_type),
        closed=payload_edit.MARKS[0] in text,
        problems=problems or {},
    )
