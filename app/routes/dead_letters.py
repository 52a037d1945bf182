"""Dead letters: the groups on the left, the jobs of one on the right."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import said
from app.errors import BadInput
from app.group_page import depth
from app.search import address
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.bulk_acts.acts import AT_MOST
from worker.queries.pages import dead_letters, groups
from worker.queries.pages import group as one_group
from worker.queries.pages.filters import LENGTHS
from worker.queries.pages.groups import Group

LISTED = ("queue", "handler", "type", "tenant", "error", "since", "until", "q")
"""What narrows single jobs: the list of jobs knows how, and each of its rows can be acted on as here."""


def index(call: Call, conn: Connection) -> Response:
    """The inbox with a group open, or its live region."""
    if narrowed := [(name, value) for name, value in call.query.multi_items() if name in LISTED and value]:
        return see_other(address("/jobs", [("status", "failed")], narrowed))
    view, me = _view(call), call.operator.name if call.operator else None
    inbox = groups.read(conn, view=view, me=me, tenant_id=call.lens_id, now=call.now)
    wanted = clean_text(call.query.get("group", ""), field="group", limit=LENGTHS["group"])
    return render(
        call,
        "dead_letters/index.html",
        block="letters" if call.region == "letters" else None,
        region=call.region,
        inbox=inbox,
        view=view,
        tally=groups.tally_of(conn, me=me, tenant_id=call.lens_id, now=call.now),
        complete=len(inbox) < groups.SHOWN and not any(each.capped for each in inbox),
        total=call.figures.dead,
        wanted=wanted,
        at_most=AT_MOST,
        said=said.said(call, conn),
        **_open(call, conn, inbox, wanted),
    )


def _view(call: Call) -> str:
    view = call.query.get("view") or "open"
    if view not in groups.VIEWS:
        raise BadInput(f"view: must be one of {', '.join(groups.VIEWS)}.")
    return view


def _open(call: Call, conn: Connection, inbox: list[Group], wanted: str) -> dict[str, Any]:
    """The group that was asked for, else the first; None when nobody's job has that error any more."""
    fingerprint = wanted or (inbox[0].fingerprint if inbox else "")
    group = next((each for each in inbox if each.fingerprint == fingerprint), None)
    if group is None and wanted:
        group = groups.one(conn, fingerprint=wanted, tenant_id=call.lens_id, now=call.now)
    if group is None:
        rules = one_group.related(conn, fingerprint=wanted) if wanted else []
        return {"group": None, "url": _address(call, wanted), "rules": rules}
    before, after = call.query.get("before"), call.query.get("after")
    place = {"before": before, "after": after}
    page = dead_letters.members(conn, fingerprint=fingerprint, tenant_id=call.lens_id, **place, now=call.now)
    return {
        "group": group,
        "members": page,
        "url": _address(call, fingerprint, before=before, after=after),
        "newer": page.newer and _address(call, fingerprint, after=page.newer),
        "older": page.older and _address(call, fingerprint, before=page.older),
        **depth(call, conn, group),
    }


def _address(call: Call, fingerprint: str, **cursor: str | None) -> str:
    view = call.query.get("view")
    return address("/dead-letters", [("view", view), ("group", fingerprint)], cursor.items())
