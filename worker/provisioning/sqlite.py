"""A tenant's place in local mode: a SQLite file of its own beside the database's; schemas and grants are a server's."""

from __future__ import annotations

from worker.database import Engine, connect
from worker.database.tenancy import beside
from worker.provisioning import migrations
from worker.provisioning.strategy import Strategy


class FileStrategy(Strategy):
    """The same steps by the same names."""

    def create_schema(self) -> None:
        """Make the file, unless it is there."""
        beside(self.owner.url, self.schema_name).touch(mode=0o600)  # as it will hold what is the tenant's alone

    def run_tenant_migrations(self) -> None:
        """Bring its tables to the newest revision."""
        migrate(self.owner, self.schema_name)

    def grant_app_rw(self) -> None:
        """Nothing: whoever may open the file may work in it."""


def migrate(owner: Engine, schema_name: str) -> None:
    """Bring the tables of a tenant's file to the newest revision."""
    file = connect(f"sqlite:///{beside(owner.url, schema_name)}", application_name="watchfloor job")
    try:
        with file.begin() as conn:
            migrations.upgrade(conn)
    finally:
        file.dispose()
