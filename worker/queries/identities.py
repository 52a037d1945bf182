"""Identities: which operator somebody is to whom an identity provider has vouched."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, insert, select

from worker.database import Id, Row, moment, serialise
from worker.queries import audit, links
from worker.queries.audit import Actor
from worker.queries.schema import operator_identities, operators

FIND = (
    select(operators.c.id, operators.c.name, operators.c.role, operators.c.disabled_at)
    .join_from(operator_identities, operators, operators.c.id == operator_identities.c.operator_id)
    .where(
        operator_identities.c.issuer == bindparam("of_issuer", type_=Text),
        operator_identities.c.subject == bindparam("of_subject", type_=Text),
    )
)
KNOWN = select(operator_identities.c.subject).where(
    operator_identities.c.operator_id == bindparam("of_id", type_=Id),
    operator_identities.c.issuer == bindparam("of_issuer", type_=Text),
)
ADD = insert(operator_identities).values(
    issuer=bindparam("to_issuer", type_=Text),
    subject=bindparam("to_subject", type_=Text),
    operator_id=bindparam("to_operator", type_=Id),
    created_at=moment(),
)


def alone(conn: Connection) -> None:
    """Let nobody else become an operator until this transaction ends: the same person may come twice at once."""
    serialise(conn, "operators")


def find(conn: Connection, *, issuer: str, subject: str) -> Row | None:
    """The operator whom the provider knows by that subject, disabled or not."""
    return conn.execute(FIND, {"of_issuer": issuer, "of_subject": subject}).one_or_none()


def is_known(conn: Connection, *, operator_id: UUID, issuer: str) -> bool:
    """Whether the operator is somebody to that provider already."""
    return conn.execute(KNOWN, {"of_id": operator_id, "of_issuer": issuer}).first() is not None


def add(
    conn: Connection,
    *,
    operator_id: UUID,
    name: str,
    issuer: str,
    subject: str,
    actor: Actor,
    now: datetime | None = None,
) -> None:
    """From now on the subject is this operator; whoever was invited has come by that."""
    values = {"to_issuer": issuer, "to_subject": subject, "to_operator": operator_id, "at_now": now}
    conn.execute(ADD, values)
    links.join(conn, operator_id=operator_id)
    audit.record(conn, actor=actor, action="operator-identity", target=name, detail={"issuer": issuer}, now=now)
