"""The last finished runs of each step and the last activated tenants, found without a walk over all there ever were."""

import sqlalchemy as sa
from alembic import op

from worker.database import bounded

revision = "20261129_c013"
down_revision = "20261129_c012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the indexes; few rows are there, and only provisionings write them."""
    op.create_index(
        "ix_job_steps_done",
        "job_steps",
        ["step", sa.text("finished_at DESC")],
        schema="control",
        **bounded("outcome = 'done'"),
    )
    op.create_index(
        "ix_tenants_activated",
        "tenants",
        [sa.text("activated_at DESC")],
        schema="control",
        **bounded("activated_at IS NOT NULL"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_tenants_activated", table_name="tenants", schema="control")
    op.drop_index("ix_job_steps_done", table_name="job_steps", schema="control")
