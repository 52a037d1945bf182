"""A tenant's first table: what each role in its team may do."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, Text

from worker.database import Id, Json
from worker.database.tenancy import walls

revision = "t001"
down_revision = None
branch_labels = ("tenant_template",)
depends_on = None


def upgrade() -> None:
    """Make the table, open to its tenant alone."""
    op.create_table(
        "role_profiles",
        Column("name", Text, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        Column("display_name", Text, nullable=False),
        Column("permissions", Json, nullable=False),
        CheckConstraint("length(name) BETWEEN 1 AND 100", name="name"),
        CheckConstraint("length(display_name) BETWEEN 1 AND 200", name="display_name"),
    )
    for statement in walls(op.get_bind(), "role_profiles"):
        op.execute(statement)


def downgrade() -> None:
    """Give it up."""
    op.drop_table("role_profiles")
