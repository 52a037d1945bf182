"""What died of one error for one tenant, found by both: the inbox in a tenant's lens."""

import sqlalchemy as sa
from alembic import op

from worker.database import at_leisure, bounded, schema_of

revision = "20261130_c027"
down_revision = "20261130_c026"
branch_labels = None
depends_on = None

_NAME = "ix_platform_jobs_tenant_group"
_COLUMNS: list[str | sa.TextClause] = ["tenant_id", "error_fingerprint", sa.text("finished_at DESC"), sa.text("id DESC")]
_WHERE = bounded("status = 'failed' AND tenant_id IS NOT NULL")


def upgrade() -> None:
    """Create the index beside the work that goes on."""
    if schema_of(op.get_bind()) is None:
        op.create_index(_NAME, "platform_jobs", _COLUMNS, schema="control", **_WHERE)
        return
    with at_leisure(op.get_context()):
        op.drop_index(_NAME, "platform_jobs", schema="control", if_exists=True, postgresql_concurrently=True)
        op.create_index(_NAME, "platform_jobs", _COLUMNS, schema="control", postgresql_concurrently=True, **_WHERE)


def downgrade() -> None:
    """Drop it."""
    op.drop_index(_NAME, table_name="platform_jobs", schema="control")
