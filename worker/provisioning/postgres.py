"""A tenant's place on PostgreSQL: a schema of its own, made by its owner and lent to app_rw."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

from worker.database import Connection, Engine, is_busy
from worker.database.tenancy import create_schema, grant_schema, owning
from worker.provisioning import migrations
from worker.provisioning.strategy import Strategy
from worker.signals import require_wanted

_TRIES = 150
_PAUSE_SECONDS = 2


class SchemaStrategy(Strategy):
    """Each step that changes the schema is one transaction, and one at a time for each tenant (A-26)."""

    def create_schema(self) -> None:
        """Make the schema, unless it is there."""
        _as_owner(self.owner, self.schema_name, lambda conn: create_schema(conn, self.schema_name))

    def run_tenant_migrations(self) -> None:
        """Bring its tables to the newest revision."""
        migrate(self.owner, self.schema_name)

    def grant_app_rw(self) -> None:
        """Let app_rw in, to these tables and to those that later revisions make."""
        _as_owner(self.owner, self.schema_name, lambda conn: grant_schema(conn, self.schema_name))


def migrate(owner: Engine, schema_name: str) -> None:
    """Bring the tables of a schema to the newest revision."""
    _as_owner(owner, schema_name, migrations.upgrade)


def _as_owner(owner: Engine, schema_name: str, act: Callable[[Connection], None]) -> None:
    """Do it in a transaction; a busy lock is left at once and tried later, so that the tenant's work goes on."""
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            with owning(owner, schema_name) as conn:
                act(conn)
        except Exception as error:
            if tries_left == 0 or not is_busy(error):
                raise
            require_wanted()
            sleep(_PAUSE_SECONDS)
        else:
            return
