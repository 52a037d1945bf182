"""What the forms about a pause share: the queue, the ends to choose from, and where they lead back to."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from starlette.responses import Response

from app.answers import is_over
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.errors import InvalidInput
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
CHOICES = [(key, words) for key, (words, _) in UNTIL.items()]


def queue_of(call: Call) -> str:
    """The queue that the address names; NotFound where none can have that name."""
    try:
        return queue_name(call.path("queue"))
    except ValueError:
        raise NotFound from None


def end(until: str, now: datetime) -> datetime | None:
    """The time that the choice stands for; None where somebody has to resume."""
    if until not in UNTIL:
        raise InvalidInput("until", "choose one of these")
    length = UNTIL[until][1]
    return now + length if length else None


def page(call: Call, queue: str) -> str:
    """The page it was asked for on: the queue's own or, where nobody can tell, the list."""
    own = f"{LIST}/{queue}"
    return own if is_over(call, own) else LIST


def form(call: Call, template: str, queue: str, status: int, **context: Any) -> Response:
    """The whole page, or the sheet alone where it opens in the dialog over the part of the page that tells of it."""
    back = page(call, queue)
    region = "#loads" if back == LIST else "#subject"
    context |= {"queue": queue, "back": back, "target": region if is_over(call, back) else "#main"}
    return render(call, template, block="sheet" if call.htmx else None, status=status, **context)
