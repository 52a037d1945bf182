"""What came of an act, carried in the address that leads back and told there once, script or no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from starlette.responses import Response

from app.answers import is_over
from app.choice import AT_MOST
from app.search import address
from app.templating import see_other
from app.web import Call
from worker.database import Connection, Row
from worker.queries.pages import audit
from worker.queries.pages.selection import COUNTED

JUST_NOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Said:
    """An act of this operator a moment ago: what it moved, what it left as it was, and who had been there first."""

    act: Row | None
    skipped: int
    first: Row | None
    left: int

    @property
    def capped(self) -> bool:
        """Whether more are left than were counted."""
        return self.left >= COUNTED - AT_MOST


def go_back(
    call: Call, conn: Connection, back: str, *, done: Sequence[UUID], skipped: int, others: Sequence[UUID], left: int
) -> Response:
    """To the page that the act came from; `others` are jobs that somebody else may have got to first."""
    act = audit.latest(conn, job_ids=done[:1]) if done else None
    first = audit.latest(conn, job_ids=others) if others else None
    told = {"done": act and act.id, "skipped": skipped, "first": first and first.id, "left": left}
    page = urlsplit(back)
    kept = [(name, value) for name, value in parse_qsl(page.query) if name not in told]
    url = address(page.path, kept, ((name, str(number)) for name, number in told.items() if number))
    alone = call.htmx and not is_over(call, page.path)
    return Response(headers={"HX-Redirect": url}) if alone else see_other(url)


def said(call: Call, conn: Connection) -> Said | None:
    """What the address tells, while it is news and to whom it concerns."""
    number, first = _number(call, "done"), _number(call, "first")
    act = audit.one(conn, action_id=number) if number else None
    if act and (call.operator is None or act.actor != call.operator.name or call.now - act.at > JUST_NOW):
        return None
    skipped, left = _number(call, "skipped"), _number(call, "left")
    if not (act or skipped):
        return None
    return Said(act, skipped, audit.one(conn, action_id=first) if first else None, left)


def _number(call: Call, name: str) -> int:
    """A number in the address; whatever else stands there says nothing."""
    text = call.query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else 0
