"""Wake-ups inside a statement, turns taken between transactions, and how long to wait for one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Text,
    column,
    false,
    func,
    literal,
    literal_column,
    null,
    select,
    table,
    true,
)

from worker.database.either import Either

_sleepers = table("sleepers", column("channel", Text), schema="control")

HINTED = Either(postgresql=true(), sqlite=false())
"""Whether this database passes hints on; on SQLite whoever waits watches the file instead."""


def hint(channel: str | BindParameter[str]) -> ColumnElement[Any]:
    """Notify whoever sleeps on the channel when the transaction commits: once, wherever in a statement it stands."""
    name = literal(channel, Text) if isinstance(channel, str) else channel
    asleep = select(literal_column("1")).select_from(_sleepers).where(_sleepers.c.channel == name).exists()
    notify = select(func.pg_notify(name, literal_column("''"))).where(asleep).scalar_subquery()
    return Either(postgresql=notify, sqlite=null())


def serialise(conn: Connection, name: str) -> None:
    """Let one transaction at a time past this point, until it ends; on SQLite each writer is alone anyway."""
    lock = func.pg_advisory_xact_lock(func.hashtextextended(name, 0))
    conn.execute(select(Either(postgresql=lock, sqlite=null())))


def is_first(conn: Connection, name: str) -> bool:
    """Whether this transaction is past that point now; the same lock, without waiting for it."""
    lock = func.pg_try_advisory_xact_lock(func.hashtextextended(name, 0))
    return bool(conn.execute(select(Either(postgresql=lock, sqlite=true()))).scalar_one())


def wait_briefly(conn: Connection, *, seconds: int) -> None:
    """Give up on what others hold after that time, until the transaction ends; who reads a file waits for nobody."""
    patience = func.set_config(literal_column("'lock_timeout'"), literal(f"{seconds}s", Text), true())
    conn.execute(select(Either(postgresql=patience, sqlite=null())))
