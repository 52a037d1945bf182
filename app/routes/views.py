"""Saved views of the list of jobs: kept by name, for oneself or for all, and deleted."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from app import job_list
from app.choice import sentence
from app.errors import NotFound
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.queries import saved_views
from worker.queries.operators import Operator
from worker.queries.pages import audit, filters

ACTS_SHOWN, LOOKED_THROUGH = 8, 50
GONE = "The view is gone, or somebody else's."


def new(call: Call, conn: Connection) -> Response:
    """The form that asks for a name."""
    return _form(call, query=_query(call, call.request.url.query))


def create(call: Call, conn: Connection) -> Response:
    """Keep the list, and go back to it."""
    query = _query(call, str(call.form.get("query", "")))
    shared = bool(call.form.get("shared")) and _visitor(call).may("operator")
    name = str(call.form.get("name", ""))
    try:
        saved_views.save(
            conn, owner=_visitor(call), name=name, query=query, shared=shared, actor=call.actor, now=call.now
        )
    except InvalidInput as refusal:
        return _form(call, query=query, name=name, problem=sentence(refusal))
    return _leave(call, f"/jobs?{query}" if query else "/jobs")


def edit(call: Call, conn: Connection) -> Response:
    """The form that renames and shares, with what was done to the view."""
    return _change_form(call, conn)


def change(call: Call, conn: Connection) -> Response:
    """Rename it, share it, or share it no longer."""
    name, shared = str(call.form.get("name", "")), bool(call.form.get("shared")) and _visitor(call).may("operator")
    view = call.uuid("view")
    try:
        done = saved_views.change(
            conn, view_id=view, by=_visitor(call), name=name, shared=shared, actor=call.actor, now=call.now
        )
    except InvalidInput as refusal:
        return _change_form(call, conn, problem=sentence(refusal))
    if not done:
        raise NotFound(GONE)
    return _leave(call, "/jobs")


def delete(call: Call, conn: Connection) -> Response:
    """Delete it, and go back to the list."""
    if not saved_views.remove(conn, view_id=call.uuid("view"), by=_visitor(call), actor=call.actor, now=call.now):
        raise NotFound(GONE)
    return _leave(call, "/jobs")


def _leave(call: Call, url: str) -> Response:
    """The whole page, whose list of views has changed."""
    return Response(headers={"HX-Redirect": url}) if call.htmx else see_other(url)


def _visitor(call: Call) -> Operator:
    assert call.operator is not None
    return call.operator


def _query(call: Call, text: str) -> str:
    """What the list is narrowed to, in the one form in which it is kept."""
    asked = filters.parse(parse_qsl(text, max_num_fields=100), now=call.now)
    return urlencode(job_list.narrowed(call, job_list.shown(call, asked)).pairs())


def _change_form(call: Call, conn: Connection, *, problem: str | None = None) -> Response:
    view = saved_views.find(conn, view_id=call.uuid("view"), by=_visitor(call))
    if view is None:
        raise NotFound(GONE)
    return render(
        call,
        "jobs/view_change.html",
        block="sheet" if call.region == "dialog" else None,
        status=422 if problem else 200,
        view=view,
        asked=parse_qsl(view.query),
        name=str(call.form.get("name", view.name)),
        shared=bool(call.form.get("shared")) if call.form else view.shared,
        done=_done(conn, view),
        problem=problem,
    )


def _done(conn: Connection, view: Row) -> list[Row]:
    """What was done to it under the names that it had, the newest first."""
    found: dict[str, list[Row]] = {}
    names = [str(view.name)]
    while names and len(found) < ACTS_SHOWN:
        acts = audit.of_target(conn, target=names[0], actions=saved_views.ACTS, limit=LOOKED_THROUGH)
        mine = [act for act in acts if act.detail.get("view", str(view.id)) == str(view.id)]
        found[names[0]] = mine
        names = [name for name in (*names, *(act.detail.get("was", view.name) for act in mine)) if name not in found]
    return sorted((act for acts in found.values() for act in acts), key=lambda act: act.id, reverse=True)[:ACTS_SHOWN]


def _form(call: Call, *, query: str, name: str = "", problem: str | None = None) -> Response:
    return render(
        call,
        "jobs/view.html",
        block="sheet" if call.region == "dialog" else None,
        status=422 if problem else 200,
        query=query,
        asked=parse_qsl(query),
        name=name,
        problem=problem,
    )
