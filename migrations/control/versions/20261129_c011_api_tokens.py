"""The tokens that programs show at the API."""

import sqlalchemy as sa
from alembic import op

from worker.database import Names, Timestamp, check, clock_default

revision = "20261129_c011"
down_revision = "20261129_c010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them, also in a file that was made without."""
    op.create_table(
        "api_tokens",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("token_hash", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", Names, nullable=False),
        sa.Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("last_used_at", Timestamp),
        sa.Column("revoked_at", Timestamp),
        *check(
            "name",
            postgresql="name ~ '^[a-z0-9][a-z0-9._-]{0,79}$'",
            sqlite="name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*' AND length(name) <= 80",
        ),
        sa.CheckConstraint("length(created_by) BETWEEN 1 AND 100", name="created_by"),
        schema="control",
    )


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.drop_table("api_tokens", schema="control")
