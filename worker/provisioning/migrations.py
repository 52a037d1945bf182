"""Bring one tenant's tables to a revision of `migrations/tenant_template`, within the caller's transaction."""

from __future__ import annotations

from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from worker.database import Connection
from worker.resources import folder

_TURN = Lock()
"""Alembic keeps the migration that runs in one place of the process, so there is one at a time."""


def config() -> Config:
    """Alembic's configuration, without a file of its own."""
    settings = Config()
    settings.set_main_option("script_location", str(folder("migrations") / "tenant_template"))
    settings.set_main_option("path_separator", "os")
    return settings


def head() -> str:
    """The newest revision that this code knows."""
    return ScriptDirectory.from_config(config()).get_current_head() or ""


def current(conn: Connection) -> str | None:
    """The revision of the tenant whose place the connection is in; None when it has none."""
    return MigrationContext.configure(conn).get_current_revision()


def upgrade(conn: Connection, revision: str = "head") -> None:
    """Migrate the tenant whose place the connection is in; all of it or nothing, as the transaction ends."""
    settings = config()
    settings.attributes["connection"] = conn
    with _TURN:
        command.upgrade(settings, revision)
