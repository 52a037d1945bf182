"""Second factors, sign-ins that wait for one, and who an operator is to an identity provider."""

import sqlalchemy as sa
from alembic import op

from worker.database import Id, Timestamp

revision = "20261130_c017"
down_revision = "20261130_c016"
branch_labels = None
depends_on = None

TABLES = ("second_factors", "recovery_codes", "sign_in_challenges", "operator_identities")


def upgrade() -> None:
    """Create them, also in a file that was made without."""
    op.create_table(
        "second_factors",
        _operator(primary_key=True),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("last_step", sa.BigInteger, nullable=False),
        sa.Column("created_at", Timestamp, nullable=False),
        schema="control",
    )
    op.create_table(
        "recovery_codes",
        sa.Column("code_hash", sa.Text, primary_key=True),
        _operator(),
        sa.Column("used_at", Timestamp),
        schema="control",
    )
    op.create_table(
        "sign_in_challenges",
        sa.Column("token_hash", sa.Text, primary_key=True),
        _operator(),
        sa.Column("proof", sa.Text, nullable=False),
        sa.Column("following", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("expires_at", Timestamp, nullable=False),
        sa.CheckConstraint("length(proof) BETWEEN 1 AND 50", name="proof"),
        sa.CheckConstraint("length(following) BETWEEN 1 AND 2000", name="following"),
        schema="control",
    )
    op.create_table(
        "operator_identities",
        sa.Column("issuer", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        _operator(),
        sa.Column("created_at", Timestamp, nullable=False),
        sa.CheckConstraint("length(issuer) BETWEEN 1 AND 500", name="issuer"),
        sa.CheckConstraint("length(subject) BETWEEN 1 AND 255", name="subject"),
        schema="control",
    )
    for table in TABLES[1:]:
        op.create_index(f"ix_{table}_operator_id", table, ["operator_id"], schema="control")


def downgrade() -> None:
    """Undo it, with the data in it."""
    for table in TABLES:
        op.drop_table(table, schema="control")


def _operator(*, primary_key: bool = False) -> sa.Column[object]:
    refers = sa.ForeignKey("control.operators.id", ondelete="CASCADE")
    return sa.Column("operator_id", Id, refers, primary_key=primary_key, nullable=False)
