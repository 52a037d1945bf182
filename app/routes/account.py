"""The operator's own account: a password for the next time."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from app import refusals
from app.console import console_of
from app.passwords import weakness
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.queries import operators, rates

TRIES = 10
WRONG = "That is not the password you have now."
JUST_SIGNED_IN = timedelta(minutes=10)
"""For so long after signing in, by link above all, the old password need not be known."""


def show(call: Call, conn: Connection) -> Response:
    """The form for a new password."""
    return _form(call, conn)


def update(call: Call, conn: Connection) -> Response:
    """Keep the new password; every other session of the operator ends."""
    assert call.operator
    password, again = str(call.form.get("password", "")), str(call.form.get("again", ""))
    problem = "The two are not the same." if password != again else weakness(password, call.operator.name)
    if problem:
        return _form(call, conn, problem=problem)
    passwords = console_of(call.request).passwords
    known = _known(call, conn)
    if known and rates.count(conn, key=f"password of {call.operator.id}", now=call.now) > TRIES:
        return _form(call, conn, current_problem="Too many tries. Sign in anew, by a link if need be.")
    if known and not passwords.matches(str(call.form.get("current", "")), known):
        refusals.note(conn, call.actor, action="password", target=call.operator.name, reason=WRONG, now=call.now)
        return _form(call, conn, current_problem=WRONG)
    operators.set_password(
        conn,
        operator_id=call.operator.id,
        hashed=passwords.hash(password),
        keep_session=call.request.state.visit.token_hash,
        actor=call.actor,
        now=call.now,
    )
    return see_other("/")


def _known(call: Call, conn: Connection) -> str | None:
    """The stored password if it has to be given first."""
    assert call.operator
    since = call.request.state.visit.since
    return None if call.now - since < JUST_SIGNED_IN else operators.password(conn, operator_id=call.operator.id)


def _form(call: Call, conn: Connection, *, problem: str | None = None, current_problem: str | None = None) -> Response:
    return render(
        call,
        "sessions/password.html",
        status=422 if problem or current_problem else 200,
        ask_current=_known(call, conn) is not None,
        problem=problem,
        current_problem=current_problem,
    )
