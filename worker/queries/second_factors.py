"""Second factors: an authenticator's sealed secret for each operator who set one up, each of its codes good once."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Connection, Text, and_, bindparam, delete, select, update

from worker.database import Id, Row, insert, moment
from worker.queries import audit, challenges, operators, recovery_codes
from worker.queries.audit import Actor
from worker.queries.schema import operator_sessions, second_factors

_OF = second_factors.c.operator_id == bindparam("of_id", type_=Id)
_step = bindparam("to_step", type_=BigInteger)

ADD = (
    insert(second_factors)
    .values(
        operator_id=bindparam("to_operator", type_=Id),
        secret=bindparam("to_secret", type_=Text),
        last_step=_step,
        created_at=moment(),
    )
    .on_conflict_do_nothing()
    .returning(second_factors.c.operator_id)
)
FIND = select(second_factors).where(_OF)
HOLDERS = select(second_factors.c.operator_id).limit(1000)
USE_STEP = (
    update(second_factors)
    .where(and_(_OF, second_factors.c.last_step < _step))
    .values(last_step=_step)
    .returning(second_factors.c.operator_id)
)
END_OTHER_SESSIONS = delete(operator_sessions).where(
    operator_sessions.c.operator_id == bindparam("of_id", type_=Id),
    operator_sessions.c.token_hash != bindparam("but_token", type_=Text),
)
REMOVE = delete(second_factors).where(_OF).returning(second_factors.c.operator_id)


def add(
    conn: Connection,
    *,
    operator_id: UUID,
    secret: str,
    step: int,
    keep_session: str,
    actor: Actor,
    now: datetime | None = None,
) -> bool:
    """Keep the sealed secret, its code of that step being used; False when the operator has a second factor already.

    Every session of the operator ends but the one that set it up: they were begun without it.
    """
    operators.hold(conn, operator_id=operator_id)  # so that a sign-in under way is seen, and ends with the others
    values = {"to_operator": operator_id, "to_secret": secret, "to_step": step, "at_now": now}
    if conn.execute(ADD, values).scalar_one_or_none() is None:
        return False
    conn.execute(END_OTHER_SESSIONS, {"of_id": operator_id, "but_token": keep_session})
    audit.record(conn, actor=actor, action="second-factor", target=actor.name, now=now)
    return True


def find(conn: Connection, *, operator_id: UUID) -> Row | None:
    """The operator's second factor: `secret` as it was sealed, and since when."""
    return conn.execute(FIND, {"of_id": operator_id}).one_or_none()


def holders(conn: Connection) -> set[UUID]:
    """Who has a second factor."""
    return set(conn.execute(HOLDERS).scalars())


def use_step(conn: Connection, *, operator_id: UUID, step: int) -> bool:
    """Use up the code of that step, and with it those before; False when it was used up already."""
    return conn.execute(USE_STEP, {"of_id": operator_id, "to_step": step}).scalar_one_or_none() is not None


def note_new_codes(conn: Connection, *, actor: Actor, now: datetime | None = None) -> None:
    """Have in the trail that the operator's recovery codes were made anew."""
    audit.record(conn, actor=actor, action="recovery-codes", target=actor.name, now=now)


def remove(
    conn: Connection, *, operator_id: UUID, name: str, action: str, actor: Actor, now: datetime | None = None
) -> bool:
    """Ask the operator for no second factor any more; False when there was none."""
    if conn.execute(REMOVE, {"of_id": operator_id}).scalar_one_or_none() is None:
        return False
    recovery_codes.remove(conn, operator_id=operator_id)
    challenges.end(conn, operator_id=operator_id)
    audit.record(conn, actor=actor, action=action, target=name, now=now)
    return True
