"""Alembic's entry for the control schema, on the connection that worker.migrate gives."""

from alembic import context

from worker.database import schema_of
from worker.queries.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table_schema=schema_of(connection),
    include_schemas=True,
    transaction_per_migration=schema_of(connection) is not None,
)
with context.begin_transaction():
    context.run_migrations()
