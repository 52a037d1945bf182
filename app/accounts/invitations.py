"""Invitations: an account that waits for the one it was made for."""

from __future__ import annotations

from datetime import datetime

from app.accounts import letters
from app.accounts.links import Link, new_link
from app.accounts.mailroom import Handed, Mailroom
from worker.database import Connection, Row
from worker.queries import audit, links, operators
from worker.queries.audit import Actor
from worker.queries.operators import Role

AGAIN = "Only somebody who has not come yet, and may, is invited again."


def is_awaited(operator: Row) -> bool:
    """Whether the account waits for the one it was made for."""
    return bool(operator.invited_at and not operator.disabled_at)


def invite(
    conn: Connection,
    mailroom: Mailroom,
    *,
    name: str,
    email: str | None,
    role: Role,
    actor: Actor,
    now: datetime | None = None,
) -> Handed | None:
    """Add the account and hand its link over; None when the name or the address is somebody's already."""
    operator_id = operators.add(conn, name=name, email=email, role=role, invited=True, actor=actor, now=now)
    if operator_id is None:
        return None
    link = new_link(conn, operator_id=operator_id, purpose="invitation", now=now)
    return _hand_over(conn, mailroom, link, email=email, name=name, role=role)


def invite_again(
    conn: Connection, mailroom: Mailroom, *, operator: Row, actor: Actor, now: datetime | None = None
) -> Handed:
    """A new link for somebody who has not come yet; the one before is good for nothing from now on."""
    links.end(conn, operator_id=operator.id)
    link = new_link(conn, operator_id=operator.id, purpose="invitation", now=now)
    audit.record(conn, actor=actor, action="operator-invite", target=operator.name, detail={"again": True}, now=now)
    return _hand_over(conn, mailroom, link, email=operator.email, name=operator.name, role=operator.role)


def _hand_over(conn: Connection, mailroom: Mailroom, link: Link, *, email: str | None, name: str, role: Role) -> Handed:
    address = mailroom.address(link)
    letter = letters.invitation(email, name=name, role=role, link=address) if email else None
    return mailroom.hand_over(conn, link, letter)
