"""Dead letters found by what they died of: those of one tenant for its lens, those of an older rule to be read anew."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from worker.database import bounded, index_at_leisure

revision = "20261130_c027"
down_revision = "20261130_c026"
branch_labels = None
depends_on = None

_INDEXES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "ix_platform_jobs_tenant_group": (
        ["tenant_id", "error_fingerprint", sa.text("finished_at DESC"), sa.text("id DESC")],
        bounded("status = 'failed' AND tenant_id IS NOT NULL"),
    ),
    # Apart from its columns, which come in c025
    "ix_platform_jobs_dead_rule": ([sa.text("coalesce(error_rule, 0)"), "id"], bounded("status = 'failed'")),
}


def upgrade() -> None:
    """Create the indexes beside the work that goes on."""
    index_at_leisure(op.get_context(), "platform_jobs", _INDEXES)


def downgrade() -> None:
    """Drop them."""
    for name in _INDEXES:
        op.drop_index(name, table_name="platform_jobs", schema="control")
