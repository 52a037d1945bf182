"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Say what it adds, for PostgreSQL and for SQLite, whose files begin at the head of their day."""
    ${upgrades if upgrades else "op.execute()"}


def downgrade() -> None:
    """Undo it."""
    ${downgrades if downgrades else "op.execute()"}
