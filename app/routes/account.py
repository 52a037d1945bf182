"""The operator's own account: where mail goes, the password, and every browser that is signed in."""

from __future__ import annotations

from starlette.responses import Response

from app import own_password
from app.accounts import chosen
from app.accounts.pages import who
from app.answers import go_back
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.queries import browsers, operators
from worker.queries.pages import operators as accounts

PAGE = "/account"


def show(call: Call, conn: Connection) -> Response:
    """The account."""
    return _page(call, conn)


def set_password(call: Call, conn: Connection) -> Response:
    """Keep the new password; every other session of the operator ends."""
    operator = who(call)
    if problem := chosen.problem(call, operator.name):
        return _page(call, conn, problem=problem)
    if objection := own_password.objection(call, conn, action="password"):
        return _page(call, conn, current_problem=objection)
    operators.set_password(
        conn,
        operator_id=operator.id,
        hashed=chosen.hashed(call),
        keep_session=_token_hash(call),
        actor=call.actor,
        now=call.now,
    )
    return see_other(f"{PAGE}?saved=1")


def end_session(call: Call, conn: Connection) -> Response:
    """Sign one browser out, this one too if it is that."""
    browsers.end_one(conn, operator=who(call), handle=call.path("session"), actor=call.actor, now=call.now)
    return go_back(call, PAGE)


def end_others(call: Call, conn: Connection) -> Response:
    """Sign out everywhere but here."""
    browsers.end_all(conn, operator=who(call), but_token=_token_hash(call), actor=call.actor, now=call.now)
    return go_back(call, PAGE)


def _page(call: Call, conn: Connection, *, problem: str | None = None, current_problem: str | None = None) -> Response:
    mine = who(call)
    return render(
        call,
        "account/show.html",
        block="sessions" if call.region == "sessions" else None,
        status=422 if problem or current_problem else 200,
        account=accounts.one(conn, operator_id=mine.id, now=call.now),
        sessions=browsers.of_operator(conn, operator_id=mine.id, now=call.now),
        this_session=_token_hash(call),
        ask_current=own_password.asked_for(call, conn) is not None,
        saved="saved" in call.query,
        problem=problem,
        current_problem=current_problem,
    )


def _token_hash(call: Call) -> str:
    return str(call.request.state.visit.token_hash)
