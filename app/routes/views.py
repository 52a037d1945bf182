"""Saved views of the list of jobs: kept by name, for oneself or for all, and deleted."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from app import job_list
from app.choice import sentence
from app.errors import NotFound
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import saved_views
from worker.queries.operators import Operator
from worker.queries.pages import filters


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


def delete(call: Call, conn: Connection) -> Response:
    """Delete it, and go back to the list."""
    if not saved_views.remove(conn, view_id=call.uuid("view"), by=_visitor(call), actor=call.actor, now=call.now):
        raise NotFound("The view is gone, or somebody else's.")
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
