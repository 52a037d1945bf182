"""Lists of jobs that operators come back to, and which job was made from which."""

import sqlalchemy as sa
from alembic import op

from worker.database import Id, Timestamp

revision = "20261130_c020"
down_revision = "20261130_c019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "saved_views",
        sa.Column("id", Id, primary_key=True),
        sa.Column("operator_id", Id, sa.ForeignKey("control.operators.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("saved_at", Timestamp, nullable=False),
        sa.UniqueConstraint("operator_id", "name"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 80", name="name"),
        sa.CheckConstraint("length(query) BETWEEN 0 AND 2000", name="query"),
        schema="control",
    )
    op.create_table(
        "job_copies",
        sa.Column("copy_id", Id, primary_key=True),
        sa.Column("original_id", Id, nullable=False),
        sa.Column("at", Timestamp, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.CheckConstraint("length(made_by) BETWEEN 1 AND 100", name="made_by"),
        schema="control",
    )
    op.create_index("ix_job_copies_original", "job_copies", ["original_id", sa.text("at DESC")], schema="control")


def downgrade() -> None:
    """Drop them, with what is in them."""
    op.drop_table("job_copies", schema="control")
    op.drop_table("saved_views", schema="control")
