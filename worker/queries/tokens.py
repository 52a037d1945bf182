"""The API's tokens: programs that may come in, what each may do (a role, or a narrow scope), when each last did."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import Connection, String, bindparam, literal, or_, select, update

from worker.database import Names, Row, insert, moment, optional, seconds
from worker.errors import InvalidInput
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.operators import ROLES, Role
from worker.queries.schema import api_tokens

Narrow = Literal["tenants:read", "tenants:write", "datasets:write", "releases:write", "metrics:read"]
Scope = Role | Narrow
SCOPES: tuple[Scope, ...] = (*ROLES, *get_args(Narrow))
TOUCH_AFTER_SECONDS = 60

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}", re.ASCII)
_of_name = api_tokens.c.name == bindparam("of_name")
_untouched = or_(
    api_tokens.c.last_used_at.is_(None), api_tokens.c.last_used_at <= moment() - seconds(literal(TOUCH_AFTER_SECONDS))
)
_NOW = select(moment().label("now")).subquery("clock")

ADD = (
    insert(api_tokens)
    .values(
        name=bindparam("to_name"),
        token_hash=bindparam("to_hash"),
        scopes=bindparam("to_scopes", type_=Names),
        created_at=moment(),
        created_by=bindparam("by_actor"),
    )
    .on_conflict_do_nothing(index_elements=["name"])
    .returning(api_tokens.c.name)
)
SHOWN = select(
    _NOW.c.now, api_tokens.c.name, api_tokens.c.scopes, api_tokens.c.revoked_at, _untouched.label("touch_due")
).select_from(_NOW.outerjoin(api_tokens, api_tokens.c.token_hash == optional("of_hash", String)))
TOUCH = update(api_tokens).where(_of_name, _untouched).values(last_used_at=moment())
REVOKE = (
    update(api_tokens)
    .where(_of_name, api_tokens.c.revoked_at.is_(None))
    .values(revoked_at=moment())
    .returning(api_tokens.c.name)
)
BY_NAME = select(api_tokens.c.name, api_tokens.c.revoked_at).where(_of_name)
ALL = select(api_tokens).order_by(api_tokens.c.name).limit(1000)


@dataclass(frozen=True, slots=True)
class Token:
    """A program that has shown its token."""

    name: str
    scopes: frozenset[str]
    revoked: bool = False
    touch_due: bool = False

    def may(self, scope: Scope) -> bool:
        """Whether it may do what the scope names; each role may do what those before it may, as operators may."""
        able = SCOPES[SCOPES.index(scope) : len(ROLES)] or (scope,)
        return not self.revoked and not self.scopes.isdisjoint(able)


@dataclass(frozen=True, slots=True)
class Showing:
    """Whose token was shown, if it is anybody's, and when by the database's clock."""

    now: datetime
    token: Token | None


def add(
    conn: Connection,
    *,
    name: str,
    token_hash: str,
    scopes: Collection[str],
    actor: Actor,
    now: datetime | None = None,
) -> bool:
    """Let in whoever shows the token of that hash; False when there is, or was, one of that name."""
    values = {"to_name": _name(name), "to_hash": token_hash, "to_scopes": _scopes(scopes)}
    if conn.execute(ADD, {**values, "by_actor": actor.name, "at_now": now}).first() is None:
        return False
    audit.record(conn, actor=actor, action="token-add", target=name, detail={"scopes": values["to_scopes"]}, now=now)
    return True


def shown(conn: Connection, *, token_hash: str | None, now: datetime | None = None) -> Showing:
    """Whose the token of that hash is, the revoked too; found by the hash, so that time tells nothing of a token."""
    row = conn.execute(SHOWN, {"of_hash": token_hash, "at_now": now}).one()
    if row.name is None:
        return Showing(row.now, None)
    return Showing(row.now, Token(row.name, frozenset(row.scopes), row.revoked_at is not None, bool(row.touch_due)))


def touch(conn: Connection, *, name: str, now: datetime | None = None) -> None:
    """Note that the token was used, at most once a minute."""
    conn.execute(TOUCH, {"of_name": name, "at_now": now})


def everything(conn: Connection) -> Sequence[Row]:
    """All tokens by name, the revoked too."""
    return conn.execute(ALL).all()


def by_name(conn: Connection, *, name: str) -> Row | None:
    """The token of that name, revoked or not."""
    return conn.execute(BY_NAME, {"of_name": name}).one_or_none()


def revoke(conn: Connection, *, name: str, actor: Actor, now: datetime | None = None) -> bool:
    """Let the token in no more, from its next request on; False when it is not let in as it is."""
    if conn.execute(REVOKE, {"of_name": name, "at_now": now}).first() is None:
        return False
    audit.record(conn, actor=actor, action="token-revoke", target=name, now=now)
    return True


def _name(name: str) -> str:
    if _NAME.fullmatch(name):
        return name
    raise InvalidInput("name", "must be 1 to 80 of a-z 0-9 . _ - and start with a letter or digit")


def _scopes(scopes: Collection[str]) -> list[str]:
    if scopes and set(scopes) <= set(SCOPES):
        return [each for each in SCOPES if each in scopes]
    raise InvalidInput("scopes", f"must be one or more of {', '.join(SCOPES)}")
