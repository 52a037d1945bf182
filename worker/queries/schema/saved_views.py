"""Lists of jobs that operators come back to, by name."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Table, Text, UniqueConstraint

from worker.database import Id, Timestamp
from worker.queries.schema.base import limit, metadata
from worker.queries.schema.operators import operators

saved_views = Table(
    "saved_views",
    metadata,
    Column("id", Id, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("saved_at", Timestamp, nullable=False),
    UniqueConstraint("operator_id", "name"),
    limit("name", 80, 1),
    limit("query", 2000),
)
