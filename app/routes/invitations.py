"""Accepting an invitation: the name is kept, a password is chosen, and its operator is in."""

from __future__ import annotations

from starlette.responses import Response

from app import refusals, sessions
from app.accounts import chosen
from app.entrance import enter
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries import links, operators
from worker.queries.operators import Operator

GONE = "The invitation was used, taken back, or has expired."


def show(call: Call, conn: Connection) -> Response:
    """Whom it invites, with the form; to look uses nothing up, as scanners of mail do."""
    token = call.path("token")
    return _form(call, token, links.find(conn, token_hash=sessions.digest(token), purpose="invitation", now=call.now))


def accept(call: Call, conn: Connection) -> Response:
    """Keep the password, and sign its operator in."""
    token = str(call.form.get("token", ""))
    hashed_token = sessions.digest(token)
    invited = links.find(conn, token_hash=hashed_token, purpose="invitation", now=call.now)
    if invited and (problem := chosen.problem(call, invited.name)):
        return _form(call, token, invited, problem=problem)
    operator = links.use(conn, token_hash=hashed_token, purpose="invitation", now=call.now)
    if operator is None:
        refusals.note(conn, call.actor, action="invitation-accept", target=None, reason=GONE, now=call.now)
        return _form(call, token, None)
    operators.set_password(
        conn,
        operator_id=operator.id,
        hashed=chosen.hashed(call),
        action="invitation-accept",
        actor=sessions.actor(call.request, operator),
        now=call.now,
    )
    return enter(call, conn, operator, by="invitation", following="/")


def _form(call: Call, token: str, invited: Operator | None, *, problem: str | None = None) -> Response:
    status = (422 if problem else 200) if invited else 410
    return render(call, "invitations/show.html", status=status, token=token, invited=invited, problem=problem)
