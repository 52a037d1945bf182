"""Challenges: a sign-in that waits for its second factor, and is no session yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Float, Text, and_, bindparam, delete, insert, select, update

from worker.database import Id, moment, seconds
from worker.queries import operators as people
from worker.queries.operators import Operator
from worker.queries.schema import operators, sign_in_challenges

LIFETIME_SECONDS = 600
TRIES = 5
"""So many codes may be tried before the sign-in has to be begun anew."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Who is about to sign in, what they have shown already, and where they were going."""

    operator: Operator
    proof: str
    following: str


_OPEN = and_(
    sign_in_challenges.c.token_hash == bindparam("of_token"),
    sign_in_challenges.c.operator_id == operators.c.id,
    sign_in_challenges.c.expires_at > moment(),
    sign_in_challenges.c.tries < TRIES,
    operators.c.disabled_at.is_(None),
)
_WHO = (operators.c.id, operators.c.name, operators.c.role)

PRUNE = delete(sign_in_challenges).where(sign_in_challenges.c.expires_at <= moment())
ISSUE = insert(sign_in_challenges).values(
    token_hash=bindparam("to_token", type_=Text),
    operator_id=bindparam("to_operator", type_=Id),
    proof=bindparam("to_proof", type_=Text),
    following=bindparam("to_following", type_=Text),
    expires_at=moment() + seconds(bindparam("lifetime_seconds", type_=Float)),
)
TRY = update(sign_in_challenges).where(_OPEN).values(tries=sign_in_challenges.c.tries + 1)
FIND = select(*_WHO, sign_in_challenges.c.proof, sign_in_challenges.c.following).where(
    sign_in_challenges.c.token_hash == bindparam("of_token"), sign_in_challenges.c.operator_id == operators.c.id
)
CLOSE = delete(sign_in_challenges).where(sign_in_challenges.c.token_hash == bindparam("of_token"))
END = delete(sign_in_challenges).where(sign_in_challenges.c.operator_id == bindparam("of_id", type_=Id))


def issue(
    conn: Connection, *, operator_id: UUID, token_hash: str, proof: str, following: str, now: datetime | None = None
) -> None:
    """Let the sign-in wait for its second factor, and clear away those that waited in vain."""
    conn.execute(PRUNE, {"at_now": now})
    values = {"to_operator": operator_id, "to_token": token_hash, "to_proof": proof, "to_following": following}
    conn.execute(ISSUE, {**values, "lifetime_seconds": LIFETIME_SECONDS, "at_now": now})


def attempt(conn: Connection, *, token_hash: str, now: datetime | None = None) -> Challenge | None:
    """Spend one of its tries; None when none is left, its time is over, or its operator may not come in."""
    values = {"of_token": token_hash}
    row = conn.execute(FIND, values).one_or_none()
    if row is None or not people.hold(conn, operator_id=row.id):
        return None
    if not conn.execute(TRY, {**values, "at_now": now}).rowcount:
        return None
    return Challenge(Operator(row.id, row.name, row.role), row.proof, row.following)


def close(conn: Connection, *, token_hash: str) -> None:
    """The sign-in is done."""
    conn.execute(CLOSE, {"of_token": token_hash})


def end(conn: Connection, *, operator_id: UUID) -> None:
    """Whatever sign-in of the operator waits has to be begun anew."""
    conn.execute(END, {"of_id": operator_id})
