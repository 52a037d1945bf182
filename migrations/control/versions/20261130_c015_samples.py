"""Samples once a minute of what waits and of what is wrong, what they are taken from, and when which release began."""

import sqlalchemy as sa
from alembic import op

from worker.database import BigId, Bytewise, Timestamp, schema_of

revision = "20261130_c015"
down_revision = "20261129_c014"
branch_labels = None
depends_on = None

_TABLES = ("duty_runs", "releases", "finding_minutes", "backlog_minutes", "sample_minutes")


def upgrade() -> None:
    """Create the tables; the releases that workers have told of are the first."""
    op.create_table(
        "sample_minutes",
        sa.Column("minute", Timestamp, primary_key=True),
        *_counts(),
        schema="control",
    )
    op.create_table(
        "backlog_minutes",
        sa.Column("minute", Timestamp, primary_key=True),
        sa.Column("queue", Bytewise, primary_key=True),
        sa.Column("handler_key", sa.Text, primary_key=True),
        *_counts(),
        schema="control",
    )
    op.create_index("ix_backlog_minutes_queue", "backlog_minutes", ["queue", "minute"], schema="control")
    op.create_index("ix_backlog_minutes_handler", "backlog_minutes", ["handler_key", "minute"], schema="control")
    op.create_table(
        "finding_minutes",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("minute", Timestamp, primary_key=True),
        sa.Column("value", sa.Float, nullable=False),
        sa.CheckConstraint("length(kind) BETWEEN 1 AND 40", name="kind"),
        schema="control",
    )
    op.create_index("ix_finding_minutes_minute", "finding_minutes", ["minute"], schema="control")
    _releases()
    op.create_table(
        "duty_runs",
        sa.Column("duty", sa.Text, primary_key=True),
        sa.Column("ran_at", Timestamp, nullable=False),
        sa.Column("ran_by", sa.Text, nullable=False),
        sa.CheckConstraint("length(duty) BETWEEN 1 AND 50", name="duty"),
        sa.CheckConstraint("length(ran_by) BETWEEN 1 AND 100", name="ran_by"),
        schema="control",
    )
    schema = schema_of(op.get_bind())
    op.add_column("worker_instances", sa.Column("clock_ahead_ms", sa.Integer), schema=schema)
    late = sa.Column("late", sa.Integer, nullable=False, server_default="0")
    op.add_column("statistics_minutes", late, schema=schema)


def _counts() -> list[sa.Column[int]]:
    names = ("ready", "oldest_seconds", "scheduled", "running", "dead")
    return [sa.Column(each, sa.Integer, nullable=False) for each in names]


def _releases() -> None:
    texts = ("name", "component", "told_by")
    releases = op.create_table(
        "releases",
        sa.Column("id", BigId, sa.Identity(always=True), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("component", sa.Text),
        sa.Column("at", Timestamp, nullable=False),
        sa.Column("told_by", sa.Text, nullable=False),
        *(sa.CheckConstraint(f"length({each}) BETWEEN 1 AND 100", name=each) for each in texts),
        schema="control",
    )
    op.create_index("ix_releases_at", "releases", [sa.text("at DESC"), sa.text("id DESC")], schema="control")
    columns = [sa.column(each, Timestamp if each == "started_at" else sa.Text) for each in _OF_INSTANCE]
    instance = sa.table("worker_instances", *columns, schema="control").c
    told = (
        sa.select(instance.version, instance.component, sa.func.min(instance.started_at), sa.literal("worker"))
        .where(sa.func.length(instance.version).between(1, 100))
        .group_by(instance.version, instance.component)
        .order_by(sa.func.min(instance.started_at))
    )
    op.execute(sa.insert(releases).from_select(["name", "component", "at", "told_by"], told))


_OF_INSTANCE = ("version", "component", "started_at")


def downgrade() -> None:
    """Undo it, with the data in it."""
    schema = schema_of(op.get_bind())
    op.drop_column("statistics_minutes", "late", schema=schema)
    op.drop_column("worker_instances", "clock_ahead_ms", schema=schema)
    for table in _TABLES:
        op.drop_table(table, schema="control")
