"""Who is signed in: one row per browser, which keeps only the hash of its token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    String,
    and_,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from worker.database import Id, Row, among, least, moment, optional, seconds
from worker.queries.operators import Operator
from worker.queries.schema import operator_sessions, operators

TOUCH_AFTER_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Visit:
    """Who calls, and when by the database's clock; the other fields mean something only with an operator."""

    now: datetime
    operator: Operator | None = None
    token_hash: str = ""
    since: datetime | None = None
    touch_due: bool = False


@dataclass(frozen=True, slots=True)
class Roll:
    """Which of the sessions asked about still stand, each as a visit at this moment."""

    now: datetime
    standing: Mapping[str, Visit]


def _lifetime(start: ColumnElement[datetime]) -> ColumnElement[datetime]:
    idle = seconds(bindparam("idle_seconds", type_=Float))
    return least(moment() + idle, start + seconds(bindparam("length_seconds", type_=Float)))


_NOW = select(moment().label("now")).subquery("clock")
_STANDING = and_(operator_sessions.c.expires_at > _NOW.c.now, operators.c.disabled_at.is_(None))
_SIGNED_IN = operator_sessions.join(operators, operators.c.id == operator_sessions.c.operator_id)
_TOKEN = operator_sessions.c.token_hash == bindparam("of_token")

_visits = select(
    _NOW.c.now,
    operators.c.id,
    operators.c.name,
    operators.c.role,
    operator_sessions.c.token_hash,
    operator_sessions.c.created_at,
    operator_sessions.c.seen_at,
)
VISIT = _visits.select_from(
    _NOW.outerjoin(_SIGNED_IN, and_(operator_sessions.c.token_hash == optional("of_token", String), _STANDING))
)
ROLL = _visits.select_from(
    _NOW.outerjoin(_SIGNED_IN, and_(among(operator_sessions.c.token_hash, "of_tokens"), _STANDING))
)
OPEN = (
    insert(operator_sessions)
    .values(
        token_hash=bindparam("to_token"),
        operator_id=bindparam("to_operator", type_=Id),
        created_at=moment(),
        seen_at=moment(),
        expires_at=_lifetime(moment()),
        address=bindparam("to_address"),
        user_agent=bindparam("to_agent"),
    )
    .returning(operator_sessions.c.created_at)
)
TOUCH = (
    update(operator_sessions)
    .where(_TOKEN)
    .values(seen_at=moment(), expires_at=_lifetime(operator_sessions.c.created_at))
    .returning(operator_sessions.c.operator_id, operator_sessions.c.seen_at)
)
SEEN = update(operators).where(operators.c.id == bindparam("of_id", type_=Id)).values(last_seen_at=bindparam("at_time"))
CLOSE = delete(operator_sessions).where(_TOKEN)
PRUNE = delete(operator_sessions).where(operator_sessions.c.expires_at <= moment())


def visit(conn: Connection, *, token_hash: str | None, now: datetime | None = None) -> Visit:
    """The operator whose session it is, with today's role, and the time; one statement for both."""
    return _visit(conn.execute(VISIT, {"of_token": token_hash, "at_now": now}).one())


def roll(conn: Connection, *, token_hashes: Iterable[str], now: datetime | None = None) -> Roll:
    """Ask about many sessions in one statement."""
    rows = conn.execute(ROLL, {"of_tokens": list(token_hashes), "at_now": now}).all()
    return Roll(rows[0].now, {row.token_hash: _visit(row) for row in rows if row.token_hash})


def _visit(row: Row) -> Visit:
    if row.token_hash is None:
        return Visit(row.now)
    touch_due = (row.now - row.seen_at).total_seconds() >= TOUCH_AFTER_SECONDS
    return Visit(row.now, Operator(row.id, row.name, row.role), row.token_hash, row.created_at, touch_due)


def open_session(
    conn: Connection,
    *,
    operator_id: UUID,
    token_hash: str,
    idle_seconds: float,
    length_seconds: float,
    address: str | None,
    user_agent: str | None,
    now: datetime | None = None,
) -> None:
    """Begin a session, note that the operator came, and clear away the sessions that ended."""
    conn.execute(PRUNE, {"at_now": now})
    lifetime = {"idle_seconds": idle_seconds, "length_seconds": length_seconds, "at_now": now}
    who = {"to_operator": operator_id, "to_token": token_hash, "to_address": address, "to_agent": user_agent}
    began_at = conn.execute(OPEN, {**who, **lifetime}).scalar_one()
    conn.execute(SEEN, {"of_id": operator_id, "at_time": began_at})


def touch(
    conn: Connection, *, token_hash: str, idle_seconds: float, length_seconds: float, now: datetime | None = None
) -> None:
    """Note that the operator is there: the session lasts `idle_seconds` from now, within its length."""
    lifetime = {"idle_seconds": idle_seconds, "length_seconds": length_seconds, "at_now": now}
    touched = conn.execute(TOUCH, {"of_token": token_hash, **lifetime}).one_or_none()
    if touched:
        conn.execute(SEEN, {"of_id": touched.operator_id, "at_time": touched.seen_at})


def close_session(conn: Connection, *, token_hash: str) -> None:
    """End the session on the server, whatever the browser keeps."""
    conn.execute(CLOSE, {"of_token": token_hash})
