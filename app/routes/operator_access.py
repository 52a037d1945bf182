"""What an operator may do, and whether they may come in at all: an admin's acts, which take effect at once."""

from __future__ import annotations

from starlette.responses import Response

from app.accounts import pages
from app.answers import go_back, is_over
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.queries import browsers, operators
from worker.queries.operators import ROLES, Change, Operator

LAST_ADMIN = "No other admin has ever come in: make somebody one, and have them sign in first."


def set_role(call: Call, conn: Connection) -> Response:
    """Change the role; every browser of the operator has to sign in anew."""
    who = pages.known(call, conn)
    wanted = [role for role in ROLES if role == call.form.get("role")]
    if not wanted:
        return pages.account(call, conn, who.id, problem="Choose one of the roles.")
    changed = operators.set_role(conn, operator_id=who.id, role=wanted[0], actor=call.actor, now=call.now)
    if changed is Change.LAST_ADMIN:
        return pages.account(call, conn, who.id, problem=LAST_ADMIN)
    return go_back(call, pages.address(who.id))


def confirm(call: Call, conn: Connection) -> Response:
    """What it means to disable the account."""
    return _confirm(call, pages.known(call, conn))


def disable(call: Call, conn: Connection) -> Response:
    """Let the operator in no more."""
    who = pages.known(call, conn)
    changed = operators.disable(conn, operator_id=who.id, actor=call.actor, now=call.now)
    return _confirm(call, who, LAST_ADMIN) if changed is Change.LAST_ADMIN else go_back(call, pages.address(who.id))


def enable(call: Call, conn: Connection) -> Response:
    """Let the operator in again."""
    who = pages.known(call, conn)
    operators.enable(conn, operator_id=who.id, actor=call.actor, now=call.now)
    return go_back(call, pages.address(who.id))


def sign_out(call: Call, conn: Connection) -> Response:
    """End every session of the operator."""
    who = pages.known(call, conn)
    browsers.end_all(conn, operator=Operator(who.id, who.name, who.role), actor=call.actor, now=call.now)
    return go_back(call, pages.address(who.id))


def _confirm(call: Call, who: Row, problem: str | None = None) -> Response:
    return render(
        call,
        "operators/disable.html",
        block="sheet" if call.htmx else None,
        status=422 if problem else 200,
        who=who,
        problem=problem,
        over_page=is_over(call, pages.address(who.id)),
    )
