"""The people of the console: who they are, what they may do, and how they prove it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, case, delete, func, literal, null, or_, select, update

from worker.database import Id, Row, insert, moment, serialise
from worker.model import new_id
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.schema import operator_sessions, operators, sign_in_challenges, sign_in_links

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


class Change(Enum):
    """What became of a change to an account; true only where it was made."""

    DONE = "done"
    NOT_NEEDED = "not needed"
    LAST_ADMIN = "last admin"

    def __bool__(self) -> bool:
        """Whether it was made."""
        return self is Change.DONE


LAST_ADMIN = "No other admin has ever come in."

_OF_ID = operators.c.id == bindparam("of_id", type_=Id)
_ACTIVE = operators.c.disabled_at.is_(None)
_other = operators.alias("other")
# Who is only invited, or was made by a command and never came, may never come: nobody is let back in by them
_is_in = select(operator_sessions.c.token_hash).where(operator_sessions.c.operator_id == _other.c.id).exists()
_ANOTHER_ADMIN = (
    select(_other.c.id)
    .where(
        _other.c.role == "admin",
        _other.c.disabled_at.is_(None),
        _other.c.invited_at.is_(None),
        or_(_other.c.last_seen_at.is_not(None), _other.c.password.is_not(None), _is_in),
        _other.c.id != bindparam("of_id", type_=Id),
    )
    .exists()
)
_REPLACEABLE = or_(operators.c.role != "admin", operators.c.invited_at.is_not(None), _ANOTHER_ADMIN)
_TO_ROLE = bindparam("to_role", type_=Text)
_TO_EMAIL = bindparam("to_email", type_=Text)
_invited_at = case((bindparam("is_invited") == literal(1), moment()), else_=null())

ADD = (
    insert(operators)
    .values(
        id=bindparam("to_id"),
        name=bindparam("to_name"),
        role=bindparam("to_role"),
        email=bindparam("to_email"),
        created_at=moment(),
        invited_at=_invited_at,
    )
    .on_conflict_do_nothing()
    .returning(operators.c.id)
)
BY_NAME = select(operators).where(func.lower(operators.c.name) == func.lower(bindparam("of_name", type_=Text)))
BY_EMAIL = select(operators).where(func.lower(operators.c.email) == func.lower(bindparam("of_email", type_=Text)))
BY_ID = select(operators).where(_OF_ID)
HOLD = BY_ID.with_for_update(key_share=True)
ALL = select(operators).order_by(func.lower(operators.c.name)).limit(1000)
PASSWORD = select(operators.c.password).where(_OF_ID, _ACTIVE)
SET_PASSWORD = update(operators).where(_OF_ID, _ACTIVE).values(password=bindparam("to_password"))
SET_EMAIL = (
    update(operators)
    .where(
        _OF_ID,
        func.coalesce(operators.c.email, "") != func.coalesce(_TO_EMAIL, ""),
        ~select(_other.c.id)
        .where(func.lower(_other.c.email) == func.lower(_TO_EMAIL), _other.c.id != bindparam("of_id", type_=Id))
        .exists(),
    )
    .values(email=_TO_EMAIL)
    .returning(operators.c.name)
)
SET_ROLE = (
    update(operators)
    .where(_OF_ID, _ACTIVE, operators.c.role != _TO_ROLE, or_(_TO_ROLE == "admin", _REPLACEABLE))
    .values(role=_TO_ROLE)
    .returning(operators.c.name)
)
DISABLE = (
    update(operators).where(_OF_ID, _ACTIVE, _REPLACEABLE).values(disabled_at=moment()).returning(operators.c.name)
)
ENABLE = update(operators).where(_OF_ID, ~_ACTIVE).values(disabled_at=None).returning(operators.c.name)
LAST = select(operators.c.name).where(_OF_ID, _ACTIVE, ~_REPLACEABLE)
END_SESSIONS = delete(operator_sessions).where(operator_sessions.c.operator_id == bindparam("of_id", type_=Id))
END_OTHER_SESSIONS = END_SESSIONS.where(operator_sessions.c.token_hash != bindparam("but_token"))
END_LINKS = delete(sign_in_links).where(sign_in_links.c.operator_id == bindparam("of_id", type_=Id))
END_CHALLENGES = delete(sign_in_challenges).where(sign_in_challenges.c.operator_id == bindparam("of_id", type_=Id))


def add(
    conn: Connection,
    *,
    name: str,
    role: Role,
    actor: Actor,
    email: str | None = None,
    invited: bool = False,
    now: datetime | None = None,
) -> UUID | None:
    """A new operator's id; None when somebody has the name, or the address, already, in whatever case."""
    serialise(conn, "operators")  # or somebody else might be given the address at this moment
    values = {"to_id": new_id(), "to_name": name, "to_role": role, "to_email": email, "is_invited": int(invited)}
    operator_id: UUID | None = conn.execute(ADD, {**values, "at_now": now}).scalar_one_or_none()
    if operator_id:
        action = "operator-invite" if invited else "operator-add"
        audit.record(conn, actor=actor, action=action, target=name, detail={"role": role}, now=now)
    return operator_id


def by_name(conn: Connection, *, name: str) -> Row | None:
    """The operator of that name, disabled or not."""
    return conn.execute(BY_NAME, {"of_name": name}).one_or_none()


def by_email(conn: Connection, *, email: str) -> Row | None:
    """The operator who takes mail at that address, disabled or not."""
    return conn.execute(BY_EMAIL, {"of_email": email}).one_or_none()


def by_id(conn: Connection, *, operator_id: UUID) -> Row | None:
    """The operator of that id, disabled or not."""
    return conn.execute(BY_ID, {"of_id": operator_id}).one_or_none()


def hold(conn: Connection, *, operator_id: UUID) -> Row | None:
    """The operator as they are now, and stay until this transaction ends: who shuts them out meanwhile comes after it.

    Without that a session could begin unseen while the others are ended.
    """
    return conn.execute(HOLD, {"of_id": operator_id}).one_or_none()


def everyone(conn: Connection) -> Sequence[Row]:
    """All operators by name, the disabled too."""
    return conn.execute(ALL).all()


def password(conn: Connection, *, operator_id: UUID) -> str | None:
    """The stored hash; None when the operator signs in by link only."""
    stored: str | None = conn.execute(PASSWORD, {"of_id": operator_id}).scalar_one_or_none()
    return stored


def set_password(
    conn: Connection,
    *,
    operator_id: UUID,
    hashed: str,
    actor: Actor,
    keep_session: str = "",
    action: str = "password",
    now: datetime | None = None,
) -> None:
    """Store the new hash and end every link, and every session of the operator but the one that set it."""
    conn.execute(SET_PASSWORD, {"of_id": operator_id, "to_password": hashed})
    conn.execute(END_OTHER_SESSIONS, {"of_id": operator_id, "but_token": keep_session})
    _end_ways_in(conn, operator_id)
    audit.record(conn, actor=actor, action=action, target=actor.name, now=now)


def set_email(
    conn: Connection, *, operator_id: UUID, email: str | None, actor: Actor, now: datetime | None = None
) -> bool:
    """Have mail sent there, and end the links sent elsewhere; False when nothing changes, or the address is taken."""
    serialise(conn, "operators")
    name = conn.execute(SET_EMAIL, {"of_id": operator_id, "to_email": email}).scalar_one_or_none()
    if name is None:
        return False
    conn.execute(END_LINKS, {"of_id": operator_id})
    audit.record(conn, actor=actor, action="operator-address", target=name, now=now)
    return True


def set_role(conn: Connection, *, operator_id: UUID, role: Role, actor: Actor, now: datetime | None = None) -> Change:
    """Change what the operator may do, at once and in every browser: each has to sign in anew (A-70)."""
    serialise(conn, "operators")  # or two admins might each leave it to the other
    name = conn.execute(SET_ROLE, {"of_id": operator_id, "to_role": role}).scalar_one_or_none()
    if name is None:
        return _unchanged(conn, operator_id, action="operator-role", actor=actor, now=now, lost=role != "admin")
    conn.execute(END_SESSIONS, {"of_id": operator_id})
    audit.record(conn, actor=actor, action="operator-role", target=name, detail={"role": role}, now=now)
    return Change.DONE


def disable(conn: Connection, *, operator_id: UUID, actor: Actor, now: datetime | None = None) -> Change:
    """Let the operator in no more: sessions and links end with the account."""
    serialise(conn, "operators")
    name = conn.execute(DISABLE, {"of_id": operator_id, "at_now": now}).scalar_one_or_none()
    if name is None:
        return _unchanged(conn, operator_id, action="operator-disable", actor=actor, now=now)
    conn.execute(END_SESSIONS, {"of_id": operator_id})
    _end_ways_in(conn, operator_id)
    audit.record(conn, actor=actor, action="operator-disable", target=name, now=now)
    return Change.DONE


def enable(conn: Connection, *, operator_id: UUID, actor: Actor, now: datetime | None = None) -> Change:
    """Let the operator in again, by the password there was or by a new link."""
    name = conn.execute(ENABLE, {"of_id": operator_id}).scalar_one_or_none()
    if name is None:
        return Change.NOT_NEEDED
    audit.record(conn, actor=actor, action="operator-enable", target=name, now=now)
    return Change.DONE


def _end_ways_in(conn: Connection, operator_id: UUID) -> None:
    """Links that were sent, and sign-ins that wait for a second factor."""
    conn.execute(END_LINKS, {"of_id": operator_id})
    conn.execute(END_CHALLENGES, {"of_id": operator_id})


def _unchanged(
    conn: Connection, operator_id: UUID, *, action: str, actor: Actor, now: datetime | None, lost: bool = True
) -> Change:
    """Why nothing was changed; that the last admin was to go is in the trail."""
    last = conn.execute(LAST, {"of_id": operator_id}).scalar_one_or_none() if lost else None
    if last is None:
        return Change.NOT_NEEDED
    audit.record(conn, actor=actor, action=action, outcome="refused", target=last, reason=LAST_ADMIN, now=now)
    return Change.LAST_ADMIN
