"""Where an operator takes mail, and the links that an admin has sent there."""

from __future__ import annotations

from starlette.responses import Response

from app.accounts import pages
from app.accounts.invitations import AGAIN, invite_again, is_awaited
from app.accounts.mailroom import Handed
from app.accounts.names import email_address
from app.accounts.new_passwords import NEEDED, hand_out, may_need
from app.answers import go_back
from app.errors import Conflict
from app.web import Call
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.queries import operators

TAKEN = "Somebody else takes mail at that address."


def set_address(call: Call, conn: Connection) -> Response:
    """Have mail sent there from now on; links that were sent elsewhere work no more."""
    who, text = pages.known(call, conn), str(call.form.get("email", "")).strip()
    try:
        email = email_address(text) if text else None
    except InvalidInput as refusal:
        return pages.account(call, conn, who.id, problem=f"The address {refusal.problem}.")
    changed = operators.set_email(conn, operator_id=who.id, email=email, actor=call.actor, now=call.now)
    if not changed and email != who.email:
        return pages.account(call, conn, who.id, problem=TAKEN)
    return go_back(call, pages.address(who.id))


def invite(call: Call, conn: Connection) -> Response:
    """Send a new invitation; the one before works no more."""
    who = pages.known(call, conn)
    if not is_awaited(who):
        raise Conflict(AGAIN)
    return _sent(call, who, invite_again(conn, pages.mailroom(call), operator=who, actor=call.actor, now=call.now))


def reset_password(call: Call, conn: Connection) -> Response:
    """Send a link to a new password."""
    who = pages.known(call, conn)
    if not may_need(who):
        raise Conflict(NEEDED)
    return _sent(call, who, hand_out(conn, pages.mailroom(call), operator=who, actor=call.actor, now=call.now))


def _sent(call: Call, who: Row, made: Handed) -> Response:
    back = pages.address(who.id)
    return pages.handed(call, made, name=who.name, back=back)
