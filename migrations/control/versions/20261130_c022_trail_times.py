"""What was done within some hours is found by its time, however long the trail is."""

from alembic import op
from sqlalchemy import text

from worker.database import index_at_leisure

revision = "20261130_c022"
down_revision = "20261130_c021"
branch_labels = None
depends_on = None

_INDEX = "ix_operator_actions_at"


def upgrade() -> None:
    """Build it beside what writes there."""
    columns = [text("at DESC"), text("id DESC")]
    index_at_leisure(op.get_context(), "operator_actions", {_INDEX: (columns, {})})


def downgrade() -> None:
    """Drop it."""
    op.drop_index(_INDEX, table_name="operator_actions", schema="control")
