"""Who has a group of dead letters: take it, give it back."""

from __future__ import annotations

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries import groups


def create(call: Call, conn: Connection) -> Response:
    """Take it; whoever was faster keeps it, and the page says who that is."""
    groups.take(conn, fingerprint=group_acts.chosen(call), actor=call.actor, seen_with=_seen_with(call), now=call.now)
    return group_acts.go_back(call)


def delete(call: Call, conn: Connection) -> Response:
    """Give it back, on behalf of whoever the page said has it."""
    group = group_acts.chosen(call)
    groups.give_back(conn, fingerprint=group, actor=call.actor, seen_with=_seen_with(call), now=call.now)
    return group_acts.go_back(call)


def _seen_with(call: Call) -> str:
    return clean_text(str(call.form.get("seen_with", "")), field="seen_with", limit=100)
