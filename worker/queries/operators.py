"""The people of the console: who they are, what they may do, and how they prove it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, delete, func, select, update

from worker.database import Id, Row, insert, moment
from worker.model import new_id
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.schema import operator_sessions, operators, sign_in_links

Role = Literal["viewer", "operator", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody who may sign in; each role may do what those before it may."""

    id: UUID
    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether this operator's role includes the other."""
        return ROLES.index(self.role) >= ROLES.index(role)


_OF_ID = operators.c.id == bindparam("of_id", type_=Id)
_ACTIVE = operators.c.disabled_at.is_(None)

ADD = (
    insert(operators)
    .values(id=bindparam("to_id"), name=bindparam("to_name"), role=bindparam("to_role"), created_at=moment())
    .on_conflict_do_nothing()
    .returning(operators.c.id)
)
BY_NAME = select(operators).where(func.lower(operators.c.name) == func.lower(bindparam("of_name", type_=Text)))
ALL = select(operators).order_by(func.lower(operators.c.name)).limit(1000)
PASSWORD = select(operators.c.password).where(_OF_ID, _ACTIVE)
SET_PASSWORD = update(operators).where(_OF_ID, _ACTIVE).values(password=bindparam("to_password"))
SET_ROLE = update(operators).where(_OF_ID, _ACTIVE).values(role=bindparam("to_role")).returning(operators.c.name)
DISABLE = update(operators).where(_OF_ID, _ACTIVE).values(disabled_at=moment()).returning(operators.c.name)
END_SESSIONS = delete(operator_sessions).where(operator_sessions.c.operator_id == bindparam("of_id", type_=Id))
END_OTHER_SESSIONS = END_SESSIONS.where(operator_sessions.c.token_hash != bindparam("but_token"))
END_LINKS = delete(sign_in_links).where(sign_in_links.c.operator_id == bindparam("of_id", type_=Id))


def add(conn: Connection, *, name: str, role: Role, actor: Actor, now: datetime | None = None) -> UUID | None:
    """A new operator's id; None when somebody has the name already, in whatever case."""
    values = {"to_id": new_id(), "to_name": name, "to_role": role, "at_now": now}
    operator_id: UUID | None = conn.execute(ADD, values).scalar_one_or_none()
    if operator_id:
        audit.record(conn, actor=actor, action="operator-add", target=name, detail={"role": role}, now=now)
    return operator_id


def by_name(conn: Connection, *, name: str) -> Row | None:
    """The operator of that name, disabled or not."""
    return conn.execute(BY_NAME, {"of_name": name}).one_or_none()


def everyone(conn: Connection) -> Sequence[Row]:
    """All operators by name, the disabled too."""
    return conn.execute(ALL).all()


def password(conn: Connection, *, operator_id: UUID) -> str | None:
    """The stored hash; None when the operator signs in by link only."""
    stored: str | None = conn.execute(PASSWORD, {"of_id": operator_id}).scalar_one_or_none()
    return stored


def set_password(
    conn: Connection, *, operator_id: UUID, hashed: str, keep_session: str, actor: Actor, now: datetime | None = None
) -> None:
    """Store the new hash and end every session of the operator but the one that set it."""
    conn.execute(SET_PASSWORD, {"of_id": operator_id, "to_password": hashed})
    conn.execute(END_OTHER_SESSIONS, {"of_id": operator_id, "but_token": keep_session})
    conn.execute(END_LINKS, {"of_id": operator_id})
    audit.record(conn, actor=actor, action="password", target=actor.name, now=now)


def set_role(conn: Connection, *, operator_id: UUID, role: Role, actor: Actor, now: datetime | None = None) -> bool:
    """Change what the operator may do, at once and in every browser: each has to sign in anew (A-70)."""
    name = conn.execute(SET_ROLE, {"of_id": operator_id, "to_role": role}).scalar_one_or_none()
    if name is None:
        return False
    conn.execute(END_SESSIONS, {"of_id": operator_id})
    audit.record(conn, actor=actor, action="operator-role", target=name, detail={"role": role}, now=now)
    return True


def disable(conn: Connection, *, operator_id: UUID, actor: Actor, now: datetime | None = None) -> bool:
    """Let the operator in no more: sessions and links end with the account."""
    name = conn.execute(DISABLE, {"of_id": operator_id, "at_now": now}).scalar_one_or_none()
    if name is None:
        return False
    conn.execute(END_SESSIONS, {"of_id": operator_id})
    conn.execute(END_LINKS, {"of_id": operator_id})
    audit.record(conn, actor=actor, action="operator-disable", target=name, now=now)
    return True
