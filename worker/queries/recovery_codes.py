"""Recovery codes: each stands in once for an operator's second factor, and only its hash is kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, delete, func, insert, select, update

from worker.database import Id, moment
from worker.queries.schema import recovery_codes

_OF = recovery_codes.c.operator_id == bindparam("of_id", type_=Id)
_UNUSED = recovery_codes.c.used_at.is_(None)

ADD = insert(recovery_codes).values(
    code_hash=bindparam("to_hash", type_=Text), operator_id=bindparam("to_operator", type_=Id)
)
LEFT = select(func.count()).where(_OF, _UNUSED)
USE = (
    update(recovery_codes)
    .where(recovery_codes.c.code_hash == bindparam("of_hash"), _OF, _UNUSED)
    .values(used_at=moment())
    .returning(recovery_codes.c.operator_id)
)
REMOVE = delete(recovery_codes).where(_OF)


def replace(conn: Connection, *, operator_id: UUID, hashes: Iterable[str]) -> None:
    """From now on these codes count, and none that the operator had before."""
    remove(conn, operator_id=operator_id)
    conn.execute(ADD, [{"to_hash": each, "to_operator": operator_id} for each in hashes])


def left(conn: Connection, *, operator_id: UUID) -> int:
    """How many the operator has not used yet."""
    return int(conn.execute(LEFT, {"of_id": operator_id}).scalar_one())


def use(conn: Connection, *, operator_id: UUID, code_hash: str, now: datetime | None = None) -> bool:
    """Use the code up; False when it is none of the operator's, or was used."""
    values = {"of_id": operator_id, "of_hash": code_hash, "at_now": now}
    return conn.execute(USE, values).scalar_one_or_none() is not None


def remove(conn: Connection, *, operator_id: UUID) -> None:
    """None of the operator's codes counts any more."""
    conn.execute(REMOVE, {"of_id": operator_id})
