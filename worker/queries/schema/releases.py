"""When which release of the product began."""

from __future__ import annotations

from sqlalchemy import Column, Identity, Index, Table, Text

from worker.database import BigId, Timestamp
from worker.queries.schema.base import limit, metadata

releases = Table(
    "releases",
    metadata,
    Column("id", BigId, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    # The worker's, where one of them alone was released
    Column("component", Text),
    Column("at", Timestamp, nullable=False),
    Column("told_by", Text, nullable=False),
    limit("name", 100, 1),
    limit("component", 100, 1),
    limit("told_by", 100, 1),
)
Index("ix_releases_at", releases.c.at.desc(), releases.c.id.desc())
