"""An admin takes off the second factor of an operator who has lost it."""

from __future__ import annotations

from starlette.responses import Response

from app.answers import go_back, is_over
from app.errors import Conflict, NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.queries import operators, second_factors

OWN = "Your own second factor is taken off under Account, with a code of it."


def new(call: Call, conn: Connection) -> Response:
    """What it means for the operator."""
    who = _other(call, conn)
    return render(
        call,
        "second_factors/reset.html",
        block="sheet" if call.htmx else None,
        target="#account" if is_over(call, _page(who)) else "#main",
        who=who,
    )


def create(call: Call, conn: Connection) -> Response:
    """Let the operator sign in without it from now on."""
    who = _other(call, conn)
    second_factors.remove(
        conn, operator_id=who.id, name=who.name, action="second-factor-reset", actor=call.actor, now=call.now
    )
    return go_back(call, _page(who))


def _page(who: Row) -> str:
    return f"/operators/{who.id}"


def _other(call: Call, conn: Connection) -> Row:
    found = operators.by_id(conn, operator_id=call.uuid("operator"))
    if found is None:
        raise NotFound
    if call.operator and found.id == call.operator.id:
        raise Conflict(OWN, title="That is you")
    return found
