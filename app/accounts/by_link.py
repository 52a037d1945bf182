"""Choosing a password by a link that was mailed or handed over: good once, and only for what it was made for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response

from app import refusals, sessions
from app.accounts import chosen
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries import links, operators
from worker.queries.links import Purpose
from worker.queries.operators import Operator


@dataclass(frozen=True, slots=True)
class Link:
    """One kind of link: its page, its word in the audit trail, why it may not work any more, and what follows."""

    purpose: Purpose
    action: str
    template: str
    gone: str
    then: Callable[[Call, Connection, Operator], Response]


def show(call: Call, conn: Connection, link: Link) -> Response:
    """Whose password it is about, with the form; to look uses nothing up, as scanners of mail do."""
    token = call.path("token")
    found = links.find(conn, token_hash=sessions.digest(token), purpose=link.purpose, now=call.now)
    return _form(call, link, token, found)


def accept(call: Call, conn: Connection, link: Link) -> Response:
    """Use the link up and keep the password; every session that the operator had ends."""
    token = str(call.form.get("token", ""))
    hashed_token = sessions.digest(token)
    found = links.find(conn, token_hash=hashed_token, purpose=link.purpose, now=call.now)
    if found and (problem := chosen.problem(call, found.name)):
        return _form(call, link, token, found, problem=problem)
    operator = links.use(conn, token_hash=hashed_token, purpose=link.purpose, now=call.now)
    if operator is None:
        refusals.note(conn, call.actor, action=link.action, target=None, reason=link.gone, now=call.now)
        return _form(call, link, token, None)
    operators.set_password(
        conn,
        operator_id=operator.id,
        hashed=chosen.hashed(call),
        action=link.action,
        actor=sessions.actor(call.request, operator),
        now=call.now,
    )
    return link.then(call, conn, operator)


def _form(call: Call, link: Link, token: str, found: Operator | None, *, problem: str | None = None) -> Response:
    status = (422 if problem else 200) if found else 410
    return render(call, link.template, status=status, token=token, found=found, problem=problem)
