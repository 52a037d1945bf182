"""Signing in, by password or by a one-time link, and out."""

from __future__ import annotations

import hashlib

from starlette.responses import Response

from app import sessions
from app.console import console_of
from app.entrance import beyond_address, enter, refuse, sign_in_form
from app.following import own_page
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.failures import safe_text
from worker.queries import audit, links, operators, rates
from worker.queries.operators import Operator

TRIES_PER_NAME = 10
WRONG = "That name and password do not go together."
TOO_MANY = "Too many tries. Wait a quarter of an hour, or ask for a link."


def new(call: Call, conn: Connection) -> Response:
    """The sign-in page, or on to where the operator was going."""
    following = own_page(call.request, call.query.get("next"))
    return see_other(following) if call.operator else sign_in_form(call, following)


def create(call: Call, conn: Connection) -> Response:
    """Sign in with a password; every failure reads the same (A-74)."""
    following = own_page(call.request, _field(call, "next"))
    name = safe_text(_field(call, "name").strip(), 100)
    if tries := _over_limit(call, conn, name):
        if tries == 1:  # the first beyond the limit stands for those that follow
            refuse(call, conn, name, TOO_MANY)
        return sign_in_form(call, following, name, problem=TOO_MANY, status=429)
    operator = _proven(call, conn, name)
    if operator is None:
        refuse(call, conn, name, WRONG)
        return sign_in_form(call, following, name, problem=WRONG, status=422)
    rates.forget(conn, key=_name_key(name), now=call.now)
    return enter(call, conn, operator, by="password", following=following)


def offer(call: Call, conn: Connection) -> Response:
    """Whom the link signs in, with a button: scanners of mail follow links, but press nothing."""
    return _link(
        call, call.path("token"), links.find(conn, token_hash=sessions.digest(call.path("token")), now=call.now)
    )


def accept(call: Call, conn: Connection) -> Response:
    """Use the link up and sign its operator in."""
    token = _field(call, "token")
    operator = links.use(conn, token_hash=sessions.digest(token), now=call.now)
    if operator:
        return enter(call, conn, operator, by="link", following="/")
    refuse(call, conn, None, "The link was used or has expired.")
    return _link(call, token, None)


def delete(call: Call, conn: Connection) -> Response:
    """Sign out."""
    response = see_other("/sign-in")
    if call.operator:
        audit.record(conn, actor=call.actor, action="sign-out", target=call.operator.name, now=call.now)
    sessions.end(conn, call.request, response)
    return response


def _proven(call: Call, conn: Connection, name: str) -> Operator | None:
    """The operator whose name and password these are, and still are once that was found out, which takes its time."""
    found = operators.by_name(conn, name=name)
    stored = found.password if found and found.disabled_at is None else None
    if not console_of(call.request).passwords.matches(_field(call, "password"), stored) or found is None:
        return None
    held = operators.hold(conn, operator_id=found.id)
    if held is None or held.password != stored or held.disabled_at:
        return None
    return Operator(held.id, held.name, held.role)


def _over_limit(call: Call, conn: Connection, name: str) -> int:
    """How far this try is beyond what one address, or one name, has within a quarter of an hour (A-75)."""
    by_address = beyond_address(call, conn)
    by_name = rates.count(conn, key=_name_key(name), now=call.now) - TRIES_PER_NAME
    return max(by_address, by_name, 0)


def _name_key(name: str) -> str:
    return "sign-in as " + hashlib.sha256(name.casefold().encode()).hexdigest()[:32]


def _link(call: Call, token: str, operator: Operator | None) -> Response:
    status, name = (200, operator.name) if operator else (410, "")
    return render(call, "sessions/link.html", status=status, usable=operator is not None, name=name, token=token)


def _field(call: Call, name: str) -> str:
    return str(call.form.get(name, ""))
