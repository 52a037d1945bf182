"""What ended on one queue or of one handler is found by its name, also over a week of many others."""

from alembic import op

from worker.database import index_at_leisure

revision = "20261130_c021"
down_revision = "20261130_c020"
branch_labels = None
depends_on = None

_INDEXES: dict[str, tuple[list[str], dict[str, str]]] = {
    "ix_statistics_minutes_queue": (["queue", "minute"], {}),
    "ix_statistics_minutes_handler": (["handler_key", "minute"], {}),
}


def upgrade() -> None:
    """Build them beside the work that every finished job writes there."""
    index_at_leisure(op.get_context(), "statistics_minutes", _INDEXES)


def downgrade() -> None:
    """Drop them."""
    for name in _INDEXES:
        op.drop_index(name, table_name="statistics_minutes", schema="control")
