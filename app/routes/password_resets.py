"""A forgotten password: asking for a link by mail, and choosing another with it. No answer tells who has an account."""

from __future__ import annotations

import hashlib

from starlette.responses import Response

from app import refusals
from app.accounts import by_link
from app.accounts.by_link import Link
from app.accounts.names import email_address
from app.accounts.new_passwords import request
from app.accounts.pages import mailroom
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.errors import EnvelopeError, InvalidInput
from worker.queries import rates
from worker.queries.operators import Operator

NEW = "/password-resets/new"
PER_ADDRESS = 20
PER_ACCOUNT = 3
TOO_MANY = "Too many tries. Wait a quarter of an hour, or ask an admin."
NO_MAIL = "No mail leaves from here now. Ask an admin for a link."


def new(call: Call, conn: Connection) -> Response:
    """The form that asks for a link; after it, what happens now, whoever the address is."""
    return _ask(call)


def create(call: Call, conn: Connection) -> Response:
    """Mail a link to whoever takes mail at that address; the answer is the same when nobody does (A-74)."""
    try:
        email = email_address(str(call.form.get("email", "")))
    except InvalidInput as refusal:
        return _ask(call, problem=f"It {refusal.problem}.", status=422)
    if beyond := _over_limit(call, conn, email):
        if beyond == 1:  # the first beyond the limit stands for those that follow
            refusals.note(conn, call.actor, action="password-request", target=None, reason=TOO_MANY, now=call.now)
        return _ask(call, problem=TOO_MANY, status=429)
    room = mailroom(call)
    if room.problem:
        return _ask(call, status=409)
    try:
        request(conn, room, email=email, actor=call.actor, now=call.now)
    except EnvelopeError:
        return _ask(call, problem=NO_MAIL, status=503)
    return see_other(f"{NEW}?asked=1")


def show(call: Call, conn: Connection) -> Response:
    """Whose password it is about, with the form."""
    return by_link.show(call, conn, RESET)


def accept(call: Call, conn: Connection) -> Response:
    """Keep the password; every session of the operator ends, and the next begins at the sign-in page."""
    return by_link.accept(call, conn, RESET)


def _done(call: Call, conn: Connection, operator: Operator) -> Response:
    return render(call, "password_resets/done.html", name=operator.name)


RESET = Link(
    purpose="password",
    action="password-reset",
    template="password_resets/show.html",
    gone="The link was used or has expired.",
    then=_done,
)


def _over_limit(call: Call, conn: Connection, email: str) -> int:
    """How far this try is beyond what one address of the network, or of mail, has in a quarter of an hour (A-75)."""
    account = hashlib.sha256(email.lower().encode()).hexdigest()[:32]
    from_there = rates.count(conn, key=f"password request from {call.actor.address}", now=call.now) - PER_ADDRESS
    for_them = rates.count(conn, key=f"password request for {account}", now=call.now) - PER_ACCOUNT
    return max(from_there, for_them, 0)


def _ask(call: Call, *, problem: str | None = None, status: int = 200) -> Response:
    ready, asked = mailroom(call).problem is None, "asked" in call.query
    return render(call, "password_resets/new.html", status=status, ready=ready, asked=asked, problem=problem)
