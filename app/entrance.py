"""The last step of every way in: a session, or first the second factor of an operator who has one."""

from __future__ import annotations

import secrets

from starlette.responses import Response

from app import refusals, sessions
from app.console import console_of
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.queries import audit, challenges, rates, second_factors
from worker.queries.operators import Operator

TRIES_PER_ADDRESS = 50


def enter(call: Call, conn: Connection, operator: Operator, *, by: str, following: str) -> Response:
    """Let in whoever showed that they are the operator, once a second factor was shown, too, where there is one."""
    if second_factors.find(conn, operator_id=operator.id) is None:
        return admit(call, conn, operator, by=by, following=following)
    token = secrets.token_urlsafe(32)
    hashed = sessions.digest(token)
    challenges.issue(conn, operator_id=operator.id, token_hash=hashed, proof=by, following=following, now=call.now)
    return code_form(call, token)


def admit(
    call: Call, conn: Connection, operator: Operator, *, by: str, following: str, second: str | None = None
) -> Response:
    """Begin the session, and send the browser on."""
    response = see_other(following)
    sessions.begin(conn, call.request, response, operator)
    actor = sessions.actor(call.request, operator)
    detail = {"by": by} | ({"second": second} if second else {})
    audit.record(conn, actor=actor, action="sign-in", target=operator.name, detail=detail, now=call.now)
    return response


def sign_in_form(
    call: Call, following: str, name: str = "", *, problem: str | None = None, status: int = 200
) -> Response:
    """The page that asks for name and password, with the way to the provider where there is one."""
    return render(
        call,
        "sessions/new.html",
        status=status,
        next=following,
        name=name,
        provider=call.settings.oidc_label if console_of(call.request).provider else None,
        problem=problem,
    )


def code_form(call: Call, token: str, *, problem: str | None = None, status: int = 200) -> Response:
    """The page that asks for the second factor; the token in it knows whose it has to be."""
    return render(call, "second_factors/code.html", status=status, token=token, problem=problem)


def beyond_address(call: Call, conn: Connection) -> int:
    """How far this try is beyond what one address has within a quarter of an hour (A-75)."""
    return rates.count(conn, key=f"sign-in from {call.actor.address}", now=call.now) - TRIES_PER_ADDRESS


def refuse(call: Call, conn: Connection, name: str | None, reason: str) -> None:
    """Note that somebody was not let in."""
    refusals.note(conn, call.actor, action="sign-in", target=name, reason=reason, now=call.now)
