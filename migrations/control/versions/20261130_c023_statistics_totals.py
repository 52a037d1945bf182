"""Totals of all attempts that ever ended, which go on counting when their minutes are forgotten."""

import sqlalchemy as sa
from alembic import op

from worker.database import Bytewise, Timestamp

revision = "20261130_c023"
down_revision = "20261130_c022"
branch_labels = None
depends_on = None

_BOUNDS = (3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, "more")


def upgrade() -> None:
    """Create the tables; counting begins with the first minute that the maintenance adds up."""
    counts = ("jobs", "run_ms", *(f"run_{bound}" for bound in _BOUNDS))
    op.create_table(
        "statistics_totals",
        sa.Column("handler_key", sa.Text, primary_key=True),
        sa.Column("queue", Bytewise, primary_key=True),
        sa.Column("outcome", sa.Text, primary_key=True),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in counts),
        sa.Column("began_at", Timestamp, nullable=False),
        sa.Column("seen_at", Timestamp, nullable=False),
        schema="control",
    )
    op.create_table(
        "statistics_marks",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("minute", Timestamp, nullable=False),
        schema="control",
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("statistics_marks", schema="control")
    op.drop_table("statistics_totals", schema="control")
