"""The last step of every way in: a session, or first the second factor of an operator who has one."""

from __future__ import annotations

import secrets

from starlette.responses import Response

from app import refusals, sessions
from app.console import console_of
from app.second_factor import enrolment
from app.second_factor.enrolment import Offer
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.errors import EnvelopeError
from worker.queries import audit, challenges, rates, second_factors
from worker.queries.operators import Operator

TRIES_PER_ADDRESS = 50
NOT_NOW = "No second factor can be set up now"


def enter(call: Call, conn: Connection, operator: Operator, *, by: str, following: str) -> Response:
    """Let in whoever showed that they are the operator, once a second factor was shown, too, where there is one.

    Who has none, and has to, sets it up before they are in.
    """
    has_one, needed_from = second_factors.find(conn, operator_id=operator.id), call.settings.require_second_factor
    if not has_one and not (needed_from and operator.may(needed_from)):
        return admit(call, conn, operator, by=by, following=following)
    token = secrets.token_urlsafe(32)
    hashed = sessions.digest(token)
    challenges.issue(conn, operator_id=operator.id, token_hash=hashed, proof=by, following=following, now=call.now)
    detail = {"by": by}  # whoever comes no further has the password, or the mail, all the same
    audit.record(conn, actor=call.actor, action="sign-in-step", target=operator.name, detail=detail, now=call.now)
    return code_form(call, token) if has_one else _enrolment(call, operator, token)


def admit(
    call: Call, conn: Connection, operator: Operator, *, by: str, following: str, second: str | None = None
) -> Response:
    """Begin the session, and send the browser on."""
    response = see_other(following)
    begin(call, conn, response, operator, by=by, second=second)
    return response


def begin(
    call: Call, conn: Connection, response: Response, operator: Operator, *, by: str, second: str | None = None
) -> None:
    """Begin the session with this answer."""
    sessions.begin(conn, call.request, response, operator)
    actor = sessions.actor(call.request, operator)
    detail = {"by": by} | ({"second": second} if second else {})
    audit.record(conn, actor=actor, action="sign-in", target=operator.name, detail=detail, now=call.now)


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


def enrolment_form(call: Call, token: str, offer: Offer, *, problem: str | None = None, status: int = 200) -> Response:
    """The page on which who has to have a second factor sets it up."""
    return render(call, "second_factors/required.html", status=status, token=token, offer=offer, problem=problem)


def beyond_address(call: Call, conn: Connection) -> int:
    """How far this try is beyond what one address has within a quarter of an hour (A-75)."""
    return rates.count(conn, key=f"sign-in from {call.actor.address}", now=call.now) - TRIES_PER_ADDRESS


def refuse(call: Call, conn: Connection, name: str | None, reason: str) -> None:
    """Note that somebody was not let in; whoever types an address for a name does not leave it in the trail."""
    target = None if name and "@" in name else name
    refusals.note(conn, call.actor, action="sign-in", target=target, reason=reason, now=call.now)


def _enrolment(call: Call, operator: Operator, token: str) -> Response:
    try:
        return enrolment_form(call, token, enrolment.offer(call, operator, sessions.digest(token)))
    except EnvelopeError as error:
        return sign_in_form(call, "/", operator.name, problem=f"{NOT_NOW}: {error}.", status=503)
