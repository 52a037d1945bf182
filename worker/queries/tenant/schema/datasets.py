"""What a tenant put in, and what is derived from it: datasets and their insights, trainings and their models."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from worker.database import Id, Json, Timestamp
from worker.queries.schema.base import limit
from worker.queries.tenant.schema.base import metadata

HASH_LENGTH = 64

datasets = Table(
    "datasets",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("name", Text, nullable=False),
    Column("source_format", Text, nullable=False),
    Column("columns", Json, nullable=False),  # their names, in the order they came in
    Column("row_count", Integer, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("created_at", Timestamp, nullable=False),
    Column("created_by", Text, nullable=False),
    UniqueConstraint("name", "content_hash"),
    limit("name", 200, 1),
    CheckConstraint("source_format IN ('csv', 'jsonl')", name="source_format"),
    CheckConstraint("row_count >= 0", name="row_count"),
    limit("content_hash", HASH_LENGTH, HASH_LENGTH),
    limit("created_by", 100, 1),
)

dataset_records = Table(
    "dataset_records",
    metadata,
    Column("dataset_id", Id, ForeignKey(datasets.c.id, ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("record", Json, nullable=False),  # what is missing is not in it
)

insight_collections = Table(
    "insight_collections",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("dataset_id", Id, ForeignKey(datasets.c.id, ondelete="CASCADE"), nullable=False, unique=True),
    Column("computed_at", Timestamp, nullable=False),
    Column("row_count", Integer, nullable=False),
)

insights = Table(
    "insights",
    metadata,
    Column("collection_id", Id, ForeignKey(insight_collections.c.id, ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("kind", Text, nullable=False),
    Column("field", Text),
    Column("facts", Json, nullable=False),
    CheckConstraint("kind IN ('field', 'correlations')", name="kind"),
    CheckConstraint("(kind = 'field') = (field IS NOT NULL)", name="field"),
)

# What was asked for, so that a model that is gone can be told from one that nobody wants
trainings = Table(
    "trainings",
    metadata,
    Column("dataset_id", Id, ForeignKey(datasets.c.id, ondelete="CASCADE"), primary_key=True),
    Column("config_hash", Text, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("config", Json, nullable=False),
    Column("requested_at", Timestamp, nullable=False),
    Column("requested_by", Text, nullable=False),
    limit("config_hash", HASH_LENGTH, HASH_LENGTH),
    limit("requested_by", 100, 1),
)

models = Table(
    "models",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("dataset_id", Id, ForeignKey(datasets.c.id, ondelete="CASCADE"), nullable=False),
    Column("target", Text, nullable=False),
    Column("config_hash", Text, nullable=False),
    Column("config", Json, nullable=False),
    Column("artefact_key", Text, nullable=False),
    Column("artefact_hash", Text, nullable=False),
    Column("metrics", Json, nullable=False),
    Column("trained_at", Timestamp, nullable=False),
    UniqueConstraint("dataset_id", "config_hash"),
    limit("artefact_hash", HASH_LENGTH, HASH_LENGTH),
)
