"""Bring the control schema to the newest revision, one process at a time (A-26, A-27)."""

from __future__ import annotations

import time

from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from worker import revisions
from worker.database import Passwords, alone, confine, hand_over, is_busy, is_lent, make_roles, schema_of
from worker.queries.schema import metadata
from worker.queries.schema.privileges import PRIVILEGES

_TRIES = 150
_PAUSE_SECONDS = 2


def head() -> str:
    """The newest revision that this code knows."""
    return revisions.newest("control")


def current(conn: Connection) -> str | None:
    """The revision that the database is at; None when it has none."""
    return MigrationContext.configure(conn, opts={"version_table_schema": schema_of(conn)}).get_current_revision()


def upgrade(engine: Engine, revision: str = "head", *, passwords: Passwords | None = None) -> None:
    """Migrate, one process at a time; a busy lock is left again at once and tried later, so that claims go on (A-25).

    The roles are made, what is in the schema is their owner's, and each may do what it is granted (S1-66 to S1-69).
    Killed at any statement, the next run goes on from there. On lent sessions there must be nothing to do.
    """
    if is_lent(engine) and _is_current(engine):
        return
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            with alone(engine, "watchfloor migrate") as conn:
                _prepare(conn, passwords or {})
                _upgrade(conn, revision)
                _entrust(conn)
        except OperationalError as error:
            if tries_left == 0 or not is_busy(error):
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _is_current(engine: Engine) -> bool:
    with engine.connect() as conn:
        return current(conn) == head()


def _prepare(conn: Connection, passwords: Passwords) -> None:
    if schema_of(conn) is not None:
        make_roles(conn, passwords)


def _entrust(conn: Connection) -> None:
    """The newest tables, for those of an older revision are other tables."""
    if schema_of(conn) is not None and current(conn) == head():
        conn.commit()
        hand_over(conn)
        confine(conn, PRIVILEGES)


def _upgrade(conn: Connection, revision: str) -> None:
    """A server goes through every revision; a new file begins at the newest, and goes on from there."""
    settings = revisions.config("control")
    settings.attributes["connection"] = conn
    if schema_of(conn) is None and current(conn) is None:
        metadata.create_all(conn, checkfirst=False)
        command.stamp(settings, "head")
    else:
        command.upgrade(settings, revision)
