"""Bring one tenant's tables to a revision of `migrations/tenant_template`, within the caller's transaction."""

from __future__ import annotations

from threading import Lock

from alembic import command
from alembic.runtime.migration import MigrationContext

from worker import revisions
from worker.database import Connection

_TURN = Lock()
"""Alembic keeps the migration that runs in one place of the process, so there is one at a time."""


def head() -> str:
    """The newest revision that this code knows."""
    return revisions.newest("tenant_template")


def current(conn: Connection) -> str | None:
    """The revision of the tenant whose place the connection is in; None when it has none."""
    return MigrationContext.configure(conn).get_current_revision()


def upgrade(conn: Connection, revision: str = "head") -> None:
    """Migrate the tenant whose place the connection is in; all of it or nothing, as the transaction ends."""
    settings = revisions.config("tenant_template")
    settings.attributes["connection"] = conn
    with _TURN:
        command.upgrade(settings, revision)
