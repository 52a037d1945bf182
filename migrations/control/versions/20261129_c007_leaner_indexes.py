"""Leaner indexes, built beside the old ones while the work goes on."""

from alembic import op

from worker.database import at_leisure, schema_of

revision = "20261129_c007"
down_revision = "20261129_c006"
branch_labels = None
depends_on = None

# An index entry for a row without an event helps nobody, and one that ascends grows at its end, which costs least.
NEW_INDEXES = """
DROP INDEX CONCURRENTLY IF EXISTS control.uq_platform_jobs_event_subscriber_new;
CREATE UNIQUE INDEX CONCURRENTLY uq_platform_jobs_event_subscriber_new
    ON control.platform_jobs (event_id, subscriber_id) WHERE event_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS control.ix_platform_jobs_recent_new;
CREATE INDEX CONCURRENTLY ix_platform_jobs_recent_new ON control.platform_jobs (created_at, id)
"""


def upgrade() -> None:
    """Build them; a file has been made with them."""
    if schema_of(op.get_bind()) is not None:
        with at_leisure(op.get_context()):
            for statement in NEW_INDEXES.split(";\n"):
                op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    if schema_of(op.get_bind()) is not None:
        op.execute("DROP INDEX control.uq_platform_jobs_event_subscriber_new, control.ix_platform_jobs_recent_new")
