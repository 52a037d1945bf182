"""Alembic's entry for the control schema: worker.migrate gives the connection, and all is one transaction."""

from alembic import context

from worker.queries.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table_schema="control",
    include_schemas=True,
)
with context.begin_transaction():
    context.run_migrations()
