"""What was done within some hours is found by its time, however long the trail is."""

from alembic import op
from sqlalchemy import text

from worker.database import at_leisure, schema_of

revision = "20261130_c022"
down_revision = "20261130_c021"
branch_labels = None
depends_on = None

_INDEX = "ix_operator_actions_at"
_ON = ("operator_actions", [text("at DESC"), text("id DESC")])


def upgrade() -> None:
    """Build it beside what writes there."""
    if schema_of(op.get_bind()) is None:
        op.create_index(_INDEX, *_ON, schema="control")
        return
    with at_leisure(op.get_context()):
        op.drop_index(_INDEX, "operator_actions", schema="control", if_exists=True, postgresql_concurrently=True)
        op.create_index(_INDEX, *_ON, schema="control", postgresql_concurrently=True)


def downgrade() -> None:
    """Drop it."""
    op.drop_index(_INDEX, table_name="operator_actions", schema="control")
