"""Another end for a pause that is in force: sooner, later, or only when somebody resumes."""

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
    """The form that gives it another end."""
    return _form(call, conn)


def create(call: Call, conn: Connection) -> Response:
    """Let it end then; a queue that is not paused stays so."""
    queue, reason, until = queue_of(call), str(call.form.get("reason", "")), str(call.form.get("until", ""))
    try:
        why = clean_text(reason, field="reason", limit=MAX_REASON) or None
        ends = end(until, call.now)
    except InvalidInput as refusal:
        return _form(call, conn, status=422, reason=reason, until=until, refusal=refusal)
    queues.change_end(conn, queue=queue, actor=call.actor, reason=why, until=ends, now=call.now)
    return go_back(call, page(call, queue))


def _form(
    call: Call,
    conn: Connection,
    *,
    status: int = 200,
    reason: str = "",
    until: str = "1h",
    refusal: InvalidInput | None = None,
) -> Response:
    queue = queue_of(call)
    return form(
        call,
        "queues/pause_end.html",
        queue,
        status,
        pause=queues.paused(conn, now=call.now).get(queue),
        choices=CHOICES,
        reason=reason,
        until=until,
        problem=refusal.problem if refusal and refusal.field == "reason" else None,
        until_problem=refusal.problem if refusal and refusal.field == "until" else None,
    )
