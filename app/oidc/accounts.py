"""The account of whom the provider vouches for: found, or made when they first come; its role follows the provider."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from app.oidc.people import Person
from app.oidc.problems import NotAdmitted
from worker.database import Connection, Row
from worker.queries import identities, operators
from worker.queries.audit import Actor
from worker.queries.operators import Change, Operator, Role

DISABLED = "Your account here is disabled. Ask an admin."
NAMESAKES = 20


def operator_of(conn: Connection, who: Person, asked_by: Actor, *, now: datetime) -> Operator:
    """The operator with the role of today; NotAdmitted when the account is disabled."""
    identities.alone(conn)
    actor = Actor(f"oidc:{urlsplit(who.issuer).hostname}"[:100], asked_by.address, asked_by.request_id)
    known = identities.find(conn, issuer=who.issuer, subject=who.subject)
    found = known or _by_address(conn, who) or _new(conn, who, actor, now)
    if found.disabled_at:
        raise NotAdmitted(DISABLED, reason="the account is disabled")
    if known is None:
        identities.add(
            conn,
            operator_id=found.id,
            name=found.name,
            issuer=who.issuer,
            subject=who.subject,
            actor=actor,
            now=now,
        )
    return _with_role(conn, found, who.role, actor=actor, now=now)


def _by_address(conn: Connection, who: Person) -> Row | None:
    """Whom an admin wrote to at the address that the provider has checked.

    Addresses are given to others one day: whoever is somebody to the provider already is not this one.
    """
    found = operators.by_email(conn, email=who.email) if who.email else None
    known = found and identities.is_known(conn, operator_id=found.id, issuer=who.issuer)
    return None if known else found


def _new(conn: Connection, who: Person, actor: Actor, now: datetime) -> Row:
    """A new account, under a name that is free; a name alone makes nobody the owner of an account."""
    for name in (who.name, *(f"{who.name} {number}" for number in range(2, NAMESAKES))):
        operator_id = operators.add(conn, name=name, role=who.role, actor=actor, now=now)
        made = operators.by_name(conn, name=name)
        if made and (operator_id or made.disabled_at):  # the namesake who was shut out does not come back as a second
            return made
    raise NotAdmitted(f"Too many operators are called {who.name}. Ask an admin.", reason="no name is free")


def _with_role(conn: Connection, found: Row, role: Role, *, actor: Actor, now: datetime) -> Operator:
    """The provider's word counts at each sign-in, but does not take the last admin."""
    if found.role == role:
        return Operator(found.id, found.name, role)
    changed = operators.set_role(conn, operator_id=found.id, role=role, actor=actor, now=now)
    return Operator(found.id, found.name, found.role if changed is Change.LAST_ADMIN else role)
