"""Changing tables while they are in use: one migrator at a time, who makes nobody wait for long (A-25, A-27)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from time import sleep
from typing import Any, TypeAlias

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, text

from worker.database.ddl import schema_of
from worker.database.hints import is_first
from worker.database.pooler import require_session

# A statement that waits for a table's lock has every claim wait behind it
_LOCK_TIMEOUT = "800ms"
_TURN_SECONDS = 0.2

NewIndexes: TypeAlias = Mapping[str, tuple[Sequence[Any], Mapping[str, Any]]]
"""By name, the columns of each and what it is bounded to."""


@contextmanager
def alone(engine: Engine, name: str) -> Iterator[Connection]:
    """A connection on which nobody else migrates meanwhile; others wait, and their turn comes when this process dies.

    On a server each revision is a transaction of its own; in a file, which has one writer, all are one. A session that
    is only lent is refused with ConfigurationError: settings and locks would end up with others.
    """
    if engine.dialect.name == "sqlite":
        with engine.begin() as conn:
            yield conn
        return
    require_session(engine)
    with engine.connect() as holder:
        # Whoever waited in the server would keep a snapshot open, and an index built concurrently waits for all of them
        while not is_first(holder, name):
            holder.rollback()
            sleep(_TURN_SECONDS)
        # After the lock, whose answer would keep its snapshot open just so
        holder.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        with engine.connect() as conn:
            conn.execute(text("CREATE SCHEMA IF NOT EXISTS control"))
            conn.execute(text("SET statement_timeout = 0"))
            conn.execute(text(f"SET lock_timeout = '{_LOCK_TIMEOUT}'"))
            conn.commit()
            try:
                yield conn
            finally:
                conn.invalidate()  # the session's settings are for nobody else


@contextmanager
def at_leisure(context: MigrationContext) -> Iterator[None]:
    """For statements that may take long and lock nobody out, each by itself; killed between two, all are repeated."""
    with context.autocommit_block():
        conn = context.connection
        assert conn
        conn.execute(text("SET lock_timeout = 0"))
        yield
        conn.execute(text(f"SET lock_timeout = '{_LOCK_TIMEOUT}'"))


def index_at_leisure(context: MigrationContext, table: str, indexes: NewIndexes) -> None:
    """Create them beside the work that goes on; what precedes them in the revision is not undone with it."""
    operations, conn = Operations(context), context.connection
    assert conn
    with nullcontext() if schema_of(conn) is None else at_leisure(context):
        for name, (columns, where) in indexes.items():
            # Killed while it is built, one stays that nobody reads and everybody writes
            operations.drop_index(name, table, schema="control", if_exists=True, postgresql_concurrently=True)
            operations.create_index(name, table, columns, schema="control", postgresql_concurrently=True, **where)
