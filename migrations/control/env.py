"""Alembic's entry for the control schema: worker.migrate gives the connection, and all is one transaction."""

from alembic import context

from worker.database import schema_of
from worker.queries.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table_schema=schema_of(connection),
    include_schemas=True,
)
with context.begin_transaction():
    context.run_migrations()
