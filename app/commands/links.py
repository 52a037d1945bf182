"""Sign-in links from a shell: who gets one, where it leads, and what is said with it."""

from __future__ import annotations

from app.commands.output import facts
from app.sessions import LINK_HOURS, new_link
from worker.database import Connection, Row
from worker.queries import audit, operators
from worker.queries.audit import Actor

ADMIN = "admin"


def sign_in_link(conn: Connection, operator: Row, actor: Actor, *, hours: float = LINK_HOURS) -> str:
    """The path of a new link for the operator; that it was made is in the audit trail."""
    audit.record(conn, actor=actor, action="sign-in-link", target=operator.name)
    return new_link(conn, operator_id=operator.id, hours=hours)


def admin_link(conn: Connection, actor: Actor) -> str | None:
    """The path of a link for an admin, who is added when there is none; None when somebody else has the name.

    Never for somebody who is only invited: it would sign in as them whoever stands at the terminal.
    """
    if not _admins(conn):
        operators.add(conn, name=ADMIN, role="admin", actor=actor)
    admins = _admins(conn)
    named = [each for each in admins if each.name == ADMIN] or admins
    return sign_in_link(conn, named[0], actor) if named else None


def invitation(name: str, role: str, link: str) -> str:
    """What is printed with a link."""
    return facts({"name": name, "role": role, "link": link}) + "\nThe link works once."


def _admins(conn: Connection) -> list[Row]:
    """Those who may come in, and are not awaited by a link of their own."""
    return [
        each
        for each in operators.everyone(conn)
        if each.role == "admin" and each.disabled_at is None and each.invited_at is None
    ]
