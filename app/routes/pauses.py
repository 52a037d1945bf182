"""Pauses of queues: the form with its reason and its end, and the end of a pause."""

from __future__ import annotations

from starlette.responses import Response

from app.answers import go_back
from app.pausing import CHOICES, MAX_REASON, end, form, page, queue_of
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import queues


def new(call: Call, conn: Connection) -> Response:
    """The form that pauses a queue."""
    return _pause_form(call)


def create(call: Call, conn: Connection) -> Response:
    """Pause it; pausing twice keeps the first pause."""
    queue, reason, until = queue_of(call), str(call.form.get("reason", "")), str(call.form.get("until", ""))
    try:
        why = _required(reason)
        ends = end(until, call.now)
    except InvalidInput as refusal:
        return _pause_form(call, status=422, reason=reason, until=until, refusal=refusal)
    queues.pause(conn, queue=queue, actor=call.actor, reason=why, until=ends, now=call.now)
    return go_back(call, page(call, queue))


def confirm(call: Call, conn: Connection) -> Response:
    """The form that resumes a queue."""
    return _resume_form(call, conn)


def delete(call: Call, conn: Connection) -> Response:
    """Resume it; a queue that is not paused is left as it is."""
    queue, reason = queue_of(call), str(call.form.get("reason", ""))
    try:
        why = clean_text(reason, field="reason", limit=MAX_REASON) or None
    except InvalidInput as refusal:
        return _resume_form(call, conn, status=422, reason=reason, refusal=refusal)
    queues.resume(conn, queue=queue, actor=call.actor, reason=why, now=call.now)
    return go_back(call, page(call, queue))


def _required(reason: str) -> str:
    if why := clean_text(reason, field="reason", limit=MAX_REASON):
        return why
    raise InvalidInput("reason", "say why, for whoever finds the queue paused")


def _pause_form(
    call: Call, *, status: int = 200, reason: str = "", until: str = "1h", refusal: InvalidInput | None = None
) -> Response:
    queue = queue_of(call)
    loads = [each for each in call.figures.backlog if each.queue == queue]
    return form(
        call,
        "queues/pause.html",
        queue,
        status,
        ready=call.figures.depths.ready.get(queue, 0),
        running=sum(each.running for each in loads),
        choices=CHOICES,
        reason=reason,
        until=until,
        problem=refusal.problem if refusal and refusal.field == "reason" else None,
        until_problem=refusal.problem if refusal and refusal.field == "until" else None,
    )


def _resume_form(
    call: Call, conn: Connection, *, status: int = 200, reason: str = "", refusal: InvalidInput | None = None
) -> Response:
    queue = queue_of(call)
    return form(
        call,
        "queues/resume.html",
        queue,
        status,
        ready=call.figures.depths.ready.get(queue, 0),
        pause=queues.paused(conn, now=call.now).get(queue),
        reason=reason,
        problem=refusal.problem if refusal else None,
    )
