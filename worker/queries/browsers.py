"""Where an operator is signed in: each browser's session, to be seen and to be ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, delete, func, select

from worker.database import Id, Row, moment
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.operators import END_OTHER_SESSIONS, Operator
from worker.queries.schema import operator_sessions

MOST_SHOWN = 50
_HANDLE_LENGTH = 16

# What a session is called on pages: enough of the hash to tell it from others, and nothing to sign in with
_HANDLE = func.substr(operator_sessions.c.token_hash, 1, _HANDLE_LENGTH)
_OF_OPERATOR = operator_sessions.c.operator_id == bindparam("of_id", type_=Id)

OF_OPERATOR = (
    select(operator_sessions, _HANDLE.label("handle"))
    .where(_OF_OPERATOR, operator_sessions.c.expires_at > moment())
    .order_by(operator_sessions.c.seen_at.desc(), operator_sessions.c.token_hash)
    .limit(MOST_SHOWN)
)
END_ONE = (
    delete(operator_sessions)
    .where(_OF_OPERATOR, bindparam("of_handle", type_=Text) == _HANDLE)
    .returning(operator_sessions.c.token_hash)
)


def of_operator(conn: Connection, *, operator_id: UUID, now: datetime | None = None) -> Sequence[Row]:
    """The operator's sessions that stand, the last used first, each with the handle by which it can be ended."""
    return conn.execute(OF_OPERATOR, {"of_id": operator_id, "at_now": now}).all()


def end_one(conn: Connection, *, operator: Operator, handle: str, actor: Actor, now: datetime | None = None) -> bool:
    """End one session of the operator, and no one else's; False when it was over."""
    if conn.execute(END_ONE, {"of_id": operator.id, "of_handle": handle}).first() is None:
        return False
    audit.record(conn, actor=actor, action="session-end", target=operator.name, now=now)
    return True


def end_all(
    conn: Connection, *, operator: Operator, actor: Actor, but_token: str = "", now: datetime | None = None
) -> int:
    """Sign the operator out everywhere, but for the session of that token; how many sessions that were."""
    ended = int(conn.execute(END_OTHER_SESSIONS, {"of_id": operator.id, "but_token": but_token}).rowcount)
    detail = {"sessions": ended}
    audit.record(conn, actor=actor, action="sign-out-everywhere", target=operator.name, detail=detail, now=now)
    return ended
