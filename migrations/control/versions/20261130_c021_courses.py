"""What ended on one queue or of one handler is found by its name, also over a week of many others."""

from alembic import op

from worker.database import at_leisure, schema_of

revision = "20261130_c021"
down_revision = "20261130_c020"
branch_labels = None
depends_on = None

_INDEXES = {"ix_statistics_minutes_queue": "queue", "ix_statistics_minutes_handler": "handler_key"}


def upgrade() -> None:
    """Build them beside the work that every finished job writes there."""
    if schema_of(op.get_bind()) is None:
        for name, column in _INDEXES.items():
            op.create_index(name, "statistics_minutes", [column, "minute"], schema="control")
        return
    with at_leisure(op.get_context()):
        for name, column in _INDEXES.items():
            op.drop_index(name, "statistics_minutes", schema="control", if_exists=True, postgresql_concurrently=True)
            op.create_index(
                name, "statistics_minutes", [column, "minute"], schema="control", postgresql_concurrently=True
            )


def downgrade() -> None:
    """Drop them."""
    for name in _INDEXES:
        op.drop_index(name, table_name="statistics_minutes", schema="control")
