"""What whoever comes next should know of a group of dead letters."""

from __future__ import annotations

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import groups
from worker.queries.pages import groups as known


def new(call: Call, conn: Connection) -> Response:
    """The form, with the note as it is."""
    group = known.one(conn, fingerprint=group_acts.chosen(call), now=call.now)
    return group_acts.form(call, "dead_letters/note.html", note=(group and group.note) or "")


def create(call: Call, conn: Connection) -> Response:
    """Keep it; an empty one wipes it away."""
    given = str(call.form.get("note", "")).replace("\r\n", "\n")
    try:
        note = clean_text(given, field="note", limit=groups.MAX_NOTE)
    except InvalidInput as refusal:
        return group_acts.form(call, "dead_letters/note.html", refusal=refusal, note=given)
    groups.write_note(conn, fingerprint=group_acts.chosen(call), actor=call.actor, note=note, now=call.now)
    return group_acts.go_back(call)
