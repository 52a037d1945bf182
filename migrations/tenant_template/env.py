"""Alembic's entry for one tenant's tables, on a connection that looks names up in the tenant's schema alone.

So does it find, and make, the table of versions: each tenant has its own (S1-80).
"""

from alembic import context

from worker.queries.tenant.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
