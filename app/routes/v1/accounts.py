"""What an admin's program does about accounts: let somebody in, or no more; roles, addresses, links."""

from __future__ import annotations

from starlette.responses import Response

from app import problems
from app.accounts import invitations, mailroom, names, new_passwords, pages
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import Conflict
from app.shapes.changes import Changed
from app.shapes.people import Ended, Handed, NewAddress, NewOperator, NewRole
from worker.database import Connection
from worker.queries import browsers, operators, second_factors
from worker.queries.operators import Change, Operator

LAST_ADMIN = "No other admin has ever come in: make somebody one, and have them sign in first."
NAME_TAKEN = "Somebody has this name, or this address, already."
ADDRESS_TAKEN = "Somebody else takes mail at that address."


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Invite somebody, by mail or by the link that is answered."""
    asked = call.read(NewOperator)
    name = names.operator_name(asked.name)
    email = names.email_address(asked.email) if asked.email else None
    room = pages.mailroom(call)
    made = invitations.invite(conn, room, name=name, email=email, role=asked.role, actor=call.actor, now=call.now)
    if made is None:
        raise Conflict(NAME_TAKEN)
    return _handed(name, made, status=201)


@in_transaction
def invite(call: ApiCall, conn: Connection) -> Response:
    """Send a new invitation to somebody who has not come yet; the one before works no more."""
    who = pages.known(call, conn)
    if not invitations.is_awaited(who):
        raise Conflict(invitations.AGAIN)
    made = invitations.invite_again(conn, pages.mailroom(call), operator=who, actor=call.actor, now=call.now)
    return _handed(who.name, made)


@in_transaction
def reset_password(call: ApiCall, conn: Connection) -> Response:
    """Send a link to a new password."""
    who = pages.known(call, conn)
    if not new_passwords.may_need(who):
        raise Conflict(new_passwords.NEEDED)
    made = new_passwords.hand_out(conn, pages.mailroom(call), operator=who, actor=call.actor, now=call.now)
    return _handed(who.name, made)


@in_transaction
def set_role(call: ApiCall, conn: Connection) -> Response:
    """Give an operator a role; each of their browsers has to sign in anew."""
    who, role = pages.known(call, conn), call.read(NewRole).role
    return _changed(call, operators.set_role(conn, operator_id=who.id, role=role, actor=call.actor, now=call.now))


@in_transaction
def set_address(call: ApiCall, conn: Connection) -> Response:
    """Have mail sent elsewhere, or nowhere; links that were sent before work no more."""
    who, given = pages.known(call, conn), call.read(NewAddress).email
    email = names.email_address(given) if given else None
    changed = operators.set_email(conn, operator_id=who.id, email=email, actor=call.actor, now=call.now)
    if not changed and email != who.email:
        raise Conflict(ADDRESS_TAKEN)
    return Document(Changed(changed=bool(changed)))


@in_transaction
def disable(call: ApiCall, conn: Connection) -> Response:
    """Let an operator in no more: sessions and links end at once."""
    who = pages.known(call, conn)
    return _changed(call, operators.disable(conn, operator_id=who.id, actor=call.actor, now=call.now))


@in_transaction
def enable(call: ApiCall, conn: Connection) -> Response:
    """Let an operator in again."""
    who = pages.known(call, conn)
    return Document(Changed(changed=bool(operators.enable(conn, operator_id=who.id, actor=call.actor, now=call.now))))


@in_transaction
def sign_out(call: ApiCall, conn: Connection) -> Response:
    """End every session of an operator."""
    who = pages.known(call, conn)
    of = Operator(who.id, who.name, who.role)
    return Document(Ended(sessions=browsers.end_all(conn, operator=of, actor=call.actor, now=call.now)))


@in_transaction
def reset_second_factor(call: ApiCall, conn: Connection) -> Response:
    """Let an operator sign in without the second factor that was lost."""
    who, action = pages.known(call, conn), "second-factor-reset"
    done = second_factors.remove(conn, operator_id=who.id, name=who.name, action=action, actor=call.actor, now=call.now)
    return Document(Changed(changed=bool(done)))


def _changed(call: ApiCall, change: Change) -> Response:
    """What became of it; the refusal is in the trail, and so is no exception, which would take that back."""
    if change is Change.LAST_ADMIN:
        return problems.document(call.request, 409, LAST_ADMIN)
    return Document(Changed(changed=bool(change)))


def _handed(name: str, made: mailroom.Handed, *, status: int = 200) -> Response:
    return Document(Handed(name=name, job_id=made.job_id, link=made.link, why=made.why), status)
