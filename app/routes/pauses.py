"""Pause a queue and resume it, each with its reason."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from starlette.responses import Response

from app.answers import go_back, is_over
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import queues
from worker.settings import queue_name

LIST = "/queues"
MAX_REASON = 500
UNTIL = {
    "": ("somebody resumes it", None),
    "15m": ("15 minutes from now", timedelta(minutes=15)),
    "1h": ("1 hour from now", timedelta(hours=1)),
    "4h": ("4 hours from now", timedelta(hours=4)),
    "24h": ("24 hours from now", timedelta(hours=24)),
}


def new(call: Call, conn: Connection) -> Response:
    """The form that pauses a queue."""
    return _pause_form(call)


def create(call: Call, conn: Connection) -> Response:
    """Pause it; pausing twice keeps the first pause."""
    queue, reason, until = _queue(call), str(call.form.get("reason", "")), str(call.form.get("until", ""))
    try:
        why = _required(reason)
        end = _end(until, call.now)
    except InvalidInput as refusal:
        return _pause_form(call, status=422, reason=reason, until=until, refusal=refusal)
    queues.pause(conn, queue=queue, actor=call.actor, reason=why, until=end, now=call.now)
    return go_back(call, _page(call, queue))


def confirm(call: Call, conn: Connection) -> Response:
    """The form that resumes a queue."""
    return _resume_form(call, conn)


def delete(call: Call, conn: Connection) -> Response:
    """Resume it; a queue that is not paused is left as it is."""
    queue, reason = _queue(call), str(call.form.get("reason", ""))
    try:
        why = clean_text(reason, field="reason", limit=MAX_REASON) or None
    except InvalidInput as refusal:
        return _resume_form(call, conn, status=422, reason=reason, refusal=refusal)
    queues.resume(conn, queue=queue, actor=call.actor, reason=why, now=call.now)
    return go_back(call, _page(call, queue))


def _queue(call: Call) -> str:
    try:
        return queue_name(call.path("queue"))
    except ValueError:
        raise NotFound from None


def _required(reason: str) -> str:
    if why := clean_text(reason, field="reason", limit=MAX_REASON):
        return why
    raise InvalidInput("reason", "say why, for whoever finds the queue paused")


def _end(until: str, now: datetime) -> datetime | None:
    if until not in UNTIL:
        raise InvalidInput("until", "choose one of these")
    length = UNTIL[until][1]
    return now + length if length else None


def _pause_form(
    call: Call, *, status: int = 200, reason: str = "", until: str = "1h", refusal: InvalidInput | None = None
) -> Response:
    queue = _queue(call)
    loads = [each for each in call.figures.backlog if each.queue == queue]
    return _form(
        call,
        "queues/pause.html",
        queue,
        status,
        ready=call.figures.depths.ready.get(queue, 0),
        running=sum(each.running for each in loads),
        choices=[(key, words) for key, (words, _) in UNTIL.items()],
        reason=reason,
        until=until,
        problem=refusal.problem if refusal and refusal.field == "reason" else None,
        until_problem=refusal.problem if refusal and refusal.field == "until" else None,
    )


def _resume_form(
    call: Call, conn: Connection, *, status: int = 200, reason: str = "", refusal: InvalidInput | None = None
) -> Response:
    queue = _queue(call)
    return _form(
        call,
        "queues/resume.html",
        queue,
        status,
        ready=call.figures.depths.ready.get(queue, 0),
        pause=queues.paused(conn, now=call.now).get(queue),
        reason=reason,
        problem=refusal.problem if refusal else None,
    )


def _page(call: Call, queue: str) -> str:
    """The page it was asked for on: the queue's own or, where nobody can tell, the list."""
    own = f"{LIST}/{queue}"
    return own if is_over(call, own) else LIST


def _form(call: Call, template: str, queue: str, status: int, **context: Any) -> Response:
    """The whole page, or the sheet alone where it opens in the dialog over the part of the page that tells of it."""
    page = _page(call, queue)
    region = "#loads" if page == LIST else "#subject"
    context |= {"queue": queue, "back": page, "target": region if is_over(call, page) else "#main"}
    return render(call, template, block="sheet" if call.htmx else None, status=status, **context)
