"""One-time links that let somebody in: single use, short-lived, for one purpose, and only the token's hash is kept."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import Connection, Float, Text, and_, bindparam, delete, func, insert, select, update

from worker.database import Id, Row, moment, seconds
from worker.model import new_id
from worker.queries import operators as people
from worker.queries.operators import Operator
from worker.queries.schema import operators, sign_in_links

Purpose = Literal["sign-in", "invitation", "password"]
KEY_LENGTH = 32
"""How much of a token's hash tells the mail with a link from every other."""

_USABLE = and_(
    sign_in_links.c.token_hash == bindparam("of_token"),
    sign_in_links.c.purpose == bindparam("for_purpose", type_=Text),
    sign_in_links.c.operator_id == operators.c.id,
    sign_in_links.c.used_at.is_(None),
    sign_in_links.c.expires_at > moment(),
    operators.c.disabled_at.is_(None),
)
_WHO = (operators.c.id, operators.c.name, operators.c.role)

_EXPIRES_AT = moment() + seconds(bindparam("lifetime_seconds", type_=Float))

ISSUE = insert(sign_in_links).values(
    token_hash=bindparam("to_token"),
    operator_id=bindparam("to_operator", type_=Id),
    purpose=bindparam("for_purpose"),
    created_at=moment(),
    expires_at=_EXPIRES_AT,
)
# One statement whether or not the address is anybody's: how long it takes tells nothing
ISSUE_TO_ADDRESS = (
    insert(sign_in_links)
    .from_select(
        ["token_hash", "operator_id", "purpose", "created_at", "expires_at"],
        select(
            bindparam("to_token", type_=Text),
            operators.c.id,
            bindparam("for_purpose", type_=Text),
            moment(),
            _EXPIRES_AT,
        ).where(
            func.lower(operators.c.email) == func.lower(bindparam("of_email", type_=Text)),
            operators.c.disabled_at.is_(None),
            operators.c.invited_at.is_(None),
        ),
    )
    .returning(sign_in_links.c.operator_id)
)
PRUNE = delete(sign_in_links).where(sign_in_links.c.expires_at <= moment())
FIND = select(*_WHO).where(_USABLE)
USE = update(sign_in_links).where(_USABLE).values(used_at=moment())
END = delete(sign_in_links).where(sign_in_links.c.operator_id == bindparam("of_id", type_=Id))
JOIN = (
    update(operators)
    .where(operators.c.id == bindparam("of_id", type_=Id), operators.c.invited_at.is_not(None))
    .values(invited_at=None)
)
WHO = select(*_WHO).where(operators.c.id == bindparam("of_id", type_=Id))
ADDRESSEE = WHO.add_columns(operators.c.email)


def issue(
    conn: Connection,
    *,
    operator_id: UUID,
    token_hash: str,
    lifetime_seconds: float,
    purpose: Purpose = "sign-in",
    now: datetime | None = None,
) -> None:
    """Keep a link that lets the operator in once, for that purpose, and clear away those that ended."""
    conn.execute(PRUNE, {"at_now": now})
    values = {"to_operator": operator_id, "to_token": token_hash, "for_purpose": purpose}
    conn.execute(ISSUE, {**values, "lifetime_seconds": lifetime_seconds, "at_now": now})


def issue_to_address(
    conn: Connection, *, email: str, token_hash: str, lifetime_seconds: float, now: datetime | None = None
) -> Row | None:
    """Keep a link to a new password for whoever takes mail there, and say who; None, after the same work, if nobody."""
    conn.execute(PRUNE, {"at_now": now})
    values = {
        "to_token": token_hash,
        "for_purpose": "password",
        "of_email": email,
        "lifetime_seconds": lifetime_seconds,
    }
    operator_id = conn.execute(ISSUE_TO_ADDRESS, {**values, "at_now": now}).scalar_one_or_none()
    return conn.execute(ADDRESSEE, {"of_id": operator_id or new_id()}).one_or_none()


def find(
    conn: Connection, *, token_hash: str, purpose: Purpose = "sign-in", now: datetime | None = None
) -> Operator | None:
    """Whom the link would let in for that purpose; nothing is used up."""
    values = {"of_token": token_hash, "for_purpose": purpose, "at_now": now}
    return _operator(conn.execute(FIND, values).one_or_none())


def use(
    conn: Connection, *, token_hash: str, purpose: Purpose = "sign-in", now: datetime | None = None
) -> Operator | None:
    """Use the link up; None when it was used, has expired, is for another purpose, or its operator may not come in.

    Whoever was invited has come by that, whichever link it was.
    """
    values = {"of_token": token_hash, "for_purpose": purpose, "at_now": now}
    found = find(conn, token_hash=token_hash, purpose=purpose, now=now)
    if found is None or not people.hold(conn, operator_id=found.id) or not conn.execute(USE, values).rowcount:
        return None
    join(conn, operator_id=found.id)
    return found


def join(conn: Connection, *, operator_id: UUID) -> None:
    """Whoever was invited has come, and needs no invitation any more."""
    if conn.execute(JOIN, {"of_id": operator_id}).rowcount:
        end(conn, operator_id=operator_id)


def end(conn: Connection, *, operator_id: UUID) -> None:
    """Let none of the operator's links be good for anything any more."""
    conn.execute(END, {"of_id": operator_id})


def _operator(row: Row | None) -> Operator | None:
    return Operator(row.id, row.name, row.role) if row else None
