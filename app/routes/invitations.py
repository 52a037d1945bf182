"""Accepting an invitation: the name is kept, a password is chosen, and its operator is in."""

from __future__ import annotations

from starlette.responses import Response

from app.accounts import by_link
from app.accounts.by_link import Link
from app.entrance import enter
from app.web import Call
from worker.database import Connection
from worker.queries.operators import Operator


def show(call: Call, conn: Connection) -> Response:
    """Whom it invites, with the form."""
    return by_link.show(call, conn, INVITATION)


def accept(call: Call, conn: Connection) -> Response:
    """Keep the password, and sign its operator in."""
    return by_link.accept(call, conn, INVITATION)


def _enter(call: Call, conn: Connection, operator: Operator) -> Response:
    return enter(call, conn, operator, by="invitation", following="/")


INVITATION = Link(
    purpose="invitation",
    action="invitation-accept",
    template="invitations/show.html",
    gone="The invitation was used, taken back, or has expired.",
    then=_enter,
)
