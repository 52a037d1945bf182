"""Say of a group of dead letters that it is fixed, now or in a release; and that it is not, or sleeps no longer."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import groups
from worker.queries.pages import releases

KNOWN_FOR = timedelta(days=30)


def new(call: Call, conn: Connection) -> Response:
    """The form, which tells the newest release where one is known."""
    return _form(call, conn)


def create(call: Call, conn: Connection) -> Response:
    """Resolve it; one more death brings it back by itself."""
    try:
        release = _release(call)
        why = group_acts.reason(call)
        group = group_acts.chosen(call)
        groups.resolve(conn, fingerprint=group, actor=call.actor, release=release, reason=why, now=call.now)
    except InvalidInput as refusal:
        return _form(call, conn, refusal)
    return group_acts.go_back(call)


def delete(call: Call, conn: Connection) -> Response:
    """Have it ask for a person again."""
    groups.reopen(conn, fingerprint=group_acts.chosen(call), actor=call.actor, now=call.now)
    return group_acts.go_back(call)


def _release(call: Call) -> str | None:
    way = str(call.form.get("way", "now"))
    if way not in ("now", "release"):
        raise InvalidInput("way", "choose one of these")
    if way == "now":
        return None
    given = clean_text(str(call.form.get("release", "")), field="release", limit=groups.MAX_RELEASE)
    if not given:
        raise InvalidInput("release", "say which")
    return given


def _form(call: Call, conn: Connection, refusal: InvalidInput | None = None) -> Response:
    known = releases.between(conn, since=call.now - KNOWN_FOR, until=call.now)
    return group_acts.form(
        call,
        "dead_letters/resolve.html",
        refusal=refusal,
        newest=known[-1].name if known else None,
        release=str(call.form.get("release", "")),
        way=str(call.form.get("way", "now")),
    )
