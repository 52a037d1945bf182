"""What a tenant puts in and what is derived from it: datasets and their insights, trainings and their models."""

from uuid import UUID

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Text, UniqueConstraint

from worker.database import Id, Json, Timestamp
from worker.database.tenancy import walls

revision = "t002"
down_revision = "t001"
branch_labels = None
depends_on = None

TABLES = ("datasets", "dataset_records", "insight_collections", "insights", "trainings", "models")


def upgrade() -> None:
    """Make the tables, open to their tenant alone."""
    _make_datasets()
    _make_insights()
    _make_models()
    for table in TABLES:
        for statement in walls(op.get_bind(), table):
            op.execute(statement)


def downgrade() -> None:
    """Give them up, with the data in them."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _make_datasets() -> None:
    op.create_table(
        "datasets",
        Column("id", Id, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        Column("name", Text, nullable=False),
        Column("source_format", Text, nullable=False),
        Column("columns", Json, nullable=False),
        Column("row_count", Integer, nullable=False),
        Column("content_hash", Text, nullable=False),
        Column("created_at", Timestamp, nullable=False),
        Column("created_by", Text, nullable=False),
        UniqueConstraint("name", "content_hash"),
        CheckConstraint("length(name) BETWEEN 1 AND 200", name="name"),
        CheckConstraint("source_format IN ('csv', 'jsonl')", name="source_format"),
        CheckConstraint("row_count >= 0", name="row_count"),
        CheckConstraint("length(content_hash) BETWEEN 64 AND 64", name="content_hash"),
        CheckConstraint("length(created_by) BETWEEN 1 AND 100", name="created_by"),
    )
    op.create_table(
        "dataset_records",
        _of_dataset(primary_key=True),
        Column("ordinal", Integer, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        Column("record", Json, nullable=False),
    )


def _make_insights() -> None:
    op.create_table(
        "insight_collections",
        Column("id", Id, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        _of_dataset(unique=True),
        Column("computed_at", Timestamp, nullable=False),
        Column("row_count", Integer, nullable=False),
    )
    op.create_table(
        "insights",
        Column("collection_id", Id, ForeignKey("insight_collections.id", ondelete="CASCADE"), primary_key=True),
        Column("ordinal", Integer, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        Column("kind", Text, nullable=False),
        Column("field", Text),
        Column("facts", Json, nullable=False),
        CheckConstraint("kind IN ('field', 'correlations')", name="kind"),
        CheckConstraint("(kind = 'field') = (field IS NOT NULL)", name="field"),
    )


def _make_models() -> None:
    op.create_table(
        "trainings",
        _of_dataset(primary_key=True),
        Column("config_hash", Text, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        Column("config", Json, nullable=False),
        Column("requested_at", Timestamp, nullable=False),
        Column("requested_by", Text, nullable=False),
        CheckConstraint("length(config_hash) BETWEEN 64 AND 64", name="config_hash"),
        CheckConstraint("length(requested_by) BETWEEN 1 AND 100", name="requested_by"),
    )
    op.create_table(
        "models",
        Column("id", Id, primary_key=True),
        Column("tenant_id", Id, nullable=False),
        _of_dataset(),
        Column("target", Text, nullable=False),
        Column("config_hash", Text, nullable=False),
        Column("config", Json, nullable=False),
        Column("artefact_key", Text, nullable=False),
        Column("artefact_hash", Text, nullable=False),
        Column("metrics", Json, nullable=False),
        Column("trained_at", Timestamp, nullable=False),
        UniqueConstraint("dataset_id", "config_hash"),
        CheckConstraint("length(artefact_hash) BETWEEN 64 AND 64", name="artefact_hash"),
    )


def _of_dataset(*, primary_key: bool = False, unique: bool = False) -> Column[UUID]:
    key = ForeignKey("datasets.id", ondelete="CASCADE")
    return Column("dataset_id", Id, key, primary_key=primary_key, nullable=False, unique=unique)
