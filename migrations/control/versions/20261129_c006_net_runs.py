"""When the backfill of each reconciliation net ran last, and what it came to."""

from alembic import op

revision = "20261129_c006"
down_revision = "20261129_c005"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE control.net_runs (
    subscriber_id TEXT NOT NULL,
    runner TEXT NOT NULL,
    started_at timestamptz NOT NULL,
    leased_until timestamptz,
    finished_at timestamptz,
    error TEXT,
    CONSTRAINT pk_net_runs PRIMARY KEY (subscriber_id),
    CONSTRAINT ck_net_runs_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
    CONSTRAINT ck_net_runs_error CHECK (length(error) BETWEEN 0 AND 4000)
)
"""


def upgrade() -> None:
    """Create it."""
    op.execute(TABLE)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute("DROP TABLE control.net_runs")
