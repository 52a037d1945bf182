"""One-time links that sign somebody in: single use, short-lived, and only the hash of the token is kept."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Float, and_, bindparam, delete, insert, select, update

from worker.database import Id, Row, moment, seconds
from worker.queries.operators import Operator
from worker.queries.schema import operators, sign_in_links

_USABLE = and_(
    sign_in_links.c.token_hash == bindparam("of_token"),
    sign_in_links.c.operator_id == operators.c.id,
    sign_in_links.c.used_at.is_(None),
    sign_in_links.c.expires_at > moment(),
    operators.c.disabled_at.is_(None),
)
_WHO = (operators.c.id, operators.c.name, operators.c.role)

ISSUE = insert(sign_in_links).values(
    token_hash=bindparam("to_token"),
    operator_id=bindparam("to_operator", type_=Id),
    created_at=moment(),
    expires_at=moment() + seconds(bindparam("lifetime_seconds", type_=Float)),
)
PRUNE = delete(sign_in_links).where(sign_in_links.c.expires_at <= moment())
FIND = select(*_WHO).where(_USABLE)
USE = update(sign_in_links).where(_USABLE).values(used_at=moment()).returning(sign_in_links.c.operator_id)
WHO = select(*_WHO).where(operators.c.id == bindparam("of_id", type_=Id))


def issue(
    conn: Connection, *, operator_id: UUID, token_hash: str, lifetime_seconds: float, now: datetime | None = None
) -> None:
    """Keep a link that signs the operator in once, and clear away those that ended."""
    conn.execute(PRUNE, {"at_now": now})
    values = {"to_operator": operator_id, "to_token": token_hash, "lifetime_seconds": lifetime_seconds}
    conn.execute(ISSUE, {**values, "at_now": now})


def find(conn: Connection, *, token_hash: str, now: datetime | None = None) -> Operator | None:
    """Whom the link would sign in; nothing is used up."""
    return _operator(conn.execute(FIND, {"of_token": token_hash, "at_now": now}).one_or_none())


def use(conn: Connection, *, token_hash: str, now: datetime | None = None) -> Operator | None:
    """Use the link up; None when it was used, has expired, or its operator may not come in."""
    operator_id = conn.execute(USE, {"of_token": token_hash, "at_now": now}).scalar_one_or_none()
    return _operator(conn.execute(WHO, {"of_id": operator_id}).one()) if operator_id else None


def _operator(row: Row | None) -> Operator | None:
    return Operator(row.id, row.name, row.role) if row else None
