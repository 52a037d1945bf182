"""Operators who are invited by mail, and links that are good for one purpose each."""

import sqlalchemy as sa
from alembic import op

from worker.database import Timestamp, schema_of

revision = "20261130_c016"
down_revision = "20261130_c015"
branch_labels = None
depends_on = None

PURPOSE = """
ALTER TABLE {table} ADD COLUMN purpose TEXT DEFAULT 'sign-in' NOT NULL
    CONSTRAINT ck_sign_in_links_purpose CHECK (purpose IN ('sign-in', 'invitation', 'password'))
"""


def upgrade() -> None:
    """Add the columns, also in a file that was made without; the links that are there sign somebody in."""
    schema = schema_of(op.get_bind())
    op.add_column("operators", sa.Column("email", sa.Text), schema=schema)
    op.add_column("operators", sa.Column("invited_at", Timestamp), schema=schema)
    op.create_index("uq_operators_email", "operators", [sa.text("lower(email)")], schema="control", unique=True)
    op.execute(PURPOSE.format(table=f"{schema}.sign_in_links" if schema else "sign_in_links"))


def downgrade() -> None:
    """Undo it, with the data in it."""
    schema = schema_of(op.get_bind())
    op.drop_column("sign_in_links", "purpose", schema=schema)
    op.drop_index("uq_operators_email", table_name="operators", schema="control")
    op.drop_column("operators", "invited_at", schema=schema)
    op.drop_column("operators", "email", schema=schema)
