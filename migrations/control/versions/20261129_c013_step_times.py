"""The last finished runs of each step, found without a walk over all there ever were."""

import sqlalchemy as sa
from alembic import op

from worker.database import bounded

revision = "20261129_c013"
down_revision = "20261129_c012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index; few rows are there, and only a provisioning writes them."""
    op.create_index(
        "ix_job_steps_done",
        "job_steps",
        ["step", sa.text("finished_at DESC")],
        schema="control",
        **bounded("outcome = 'done'"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_job_steps_done", table_name="job_steps", schema="control")
