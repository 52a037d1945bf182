"""Subscribers: which there are in the whole deployment, and when the backfill of each one's net ran last."""

from alembic import op

revision = "20261129_c006"
down_revision = "20261129_c005"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE control.subscriptions (
    subscriber_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT pk_subscriptions PRIMARY KEY (subscriber_id),
    CONSTRAINT ck_subscriptions_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
    CONSTRAINT ck_subscriptions_event_type CHECK (length(event_type) BETWEEN 1 AND 100)
);
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
    """Create them."""
    for statement in TABLES.split(";\n"):
        op.execute(statement)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute("DROP TABLE control.net_runs, control.subscriptions")
