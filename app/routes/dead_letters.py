"""Dead letters: the groups on the left, the jobs of one on the right."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import said
from app.choice import AT_MOST
from app.search import address
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import dead_letters, groups
from worker.queries.pages.filters import LENGTHS
from worker.queries.pages.groups import Group

LISTED = ("queue", "handler", "type", "tenant", "error", "since", "until", "q")
"""What narrows single jobs: the list of jobs knows how, and each of its rows can be acted on as here."""


def index(call: Call, conn: Connection) -> Response:
    """The inbox with a group open, or its live region."""
    if narrowed := [(name, value) for name, value in call.query.multi_items() if name in LISTED and value]:
        return see_other(address("/jobs", [("status", "failed")], narrowed))
    inbox = groups.read(conn, now=call.now)
    wanted = clean_text(call.query.get("group", ""), field="group", limit=LENGTHS["group"])
    return render(
        call,
        "dead_letters/index.html",
        block="letters" if call.region == "letters" else None,
        region=call.region,
        inbox=inbox,
        complete=len(inbox) < groups.SHOWN and not any(each.capped for each in inbox),
        total=call.figures.dead,
        wanted=wanted,
        at_most=AT_MOST,
        said=said.said(call, conn),
        **_open(call, conn, inbox, wanted),
    )


def _open(call: Call, conn: Connection, inbox: list[Group], wanted: str) -> dict[str, Any]:
    """The group that was asked for, else the first; None when nobody's job has that error any more."""
    fingerprint = wanted or (inbox[0].fingerprint if inbox else "")
    group = next((each for each in inbox if each.fingerprint == fingerprint), None)
    if group is None and wanted:
        group = groups.one(conn, fingerprint=wanted, now=call.now)
    if group is None:
        return {"group": None, "url": _address(wanted)}
    before, after = call.query.get("before"), call.query.get("after")
    page = dead_letters.members(conn, fingerprint=fingerprint, before=before, after=after, now=call.now)
    return {
        "group": group,
        "members": page,
        "traits": dead_letters.traits(conn, fingerprint=fingerprint),
        "trace": dead_letters.trace(conn, fingerprint=fingerprint),
        "url": _address(fingerprint, before=before, after=after),
        "newer": page.newer and _address(fingerprint, after=page.newer),
        "older": page.older and _address(fingerprint, before=page.older),
    }


def _address(fingerprint: str, **cursor: str | None) -> str:
    return address("/dead-letters", [("group", fingerprint)], cursor.items())
