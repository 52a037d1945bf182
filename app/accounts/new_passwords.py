"""New passwords for those who forgot theirs: asked for by themselves, who are strangers still, or by an admin."""

from __future__ import annotations

from datetime import datetime

from app.accounts import letters
from app.accounts.links import Link, new_link
from app.accounts.mailroom import Handed, Mailroom
from worker.database import Connection, Row
from worker.queries import audit, links
from worker.queries.audit import Actor

NOBODY = "No account that may come in takes mail at that address."
NEEDED = "Only somebody who may come in, and has, needs a new password."


def may_need(operator: Row) -> bool:
    """Whether the operator comes in by a password, if not by the one they forgot."""
    return not (operator.disabled_at or operator.invited_at)


def request(conn: Connection, mailroom: Mailroom, *, email: str, actor: Actor, now: datetime | None = None) -> None:
    """Mail a link to whoever takes mail there.

    Where nobody does, the same is done, and the mail taken back: neither the answer nor its time may tell (A-74).
    """
    link = Link("password")
    found = links.issue_to_address(
        conn, email=email, token_hash=link.token_hash, lifetime_seconds=link.lifetime_seconds, now=now
    )
    to, name = (found.email, found.name) if found else (email, "nobody")
    with conn.begin_nested() as mailing:
        mailroom.send(conn, link, letters.new_password(to, name=name, link=mailroom.address(link)))
        if found is None:
            mailing.rollback()
    if found:
        audit.record(conn, actor=actor, action="password-request", target=found.name, now=now)
    else:
        audit.record(conn, actor=actor, action="password-request", outcome="refused", reason=NOBODY, now=now)


def hand_out(
    conn: Connection, mailroom: Mailroom, *, operator: Row, actor: Actor, now: datetime | None = None
) -> Handed:
    """A link to a new password for somebody who cannot come in, at an admin's word."""
    link = new_link(conn, operator_id=operator.id, purpose="password", now=now)
    audit.record(conn, actor=actor, action="password-link", target=operator.name, now=now)
    address = mailroom.address(link)
    letter = letters.new_password(operator.email, name=operator.name, link=address) if operator.email else None
    return mailroom.hand_over(conn, link, letter)
