"""Changing tables while they are in use: one migrator at a time, who makes nobody wait for long (A-25, A-27)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, text

from worker.database.hints import serialise

# A statement that waits for a table's lock has every claim wait behind it
_LOCK_TIMEOUT = "800ms"


@contextmanager
def alone(engine: Engine, name: str) -> Iterator[Connection]:
    """A connection on which nobody else migrates meanwhile; others wait, and their turn comes when this process dies.

    On a server each revision is a transaction of its own; in a file, which has one writer, all are one.
    """
    if engine.dialect.name == "sqlite":
        with engine.begin() as conn:
            yield conn
        return
    with engine.begin() as holder:
        holder.execute(text("SET LOCAL statement_timeout = 0"))
        serialise(holder, name)
        # After the lock, whose answer would keep its snapshot open: an index built concurrently waits for all of them
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
