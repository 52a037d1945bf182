"""Which job was made from which: an operator's copy with another payload, and its original."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from worker.database import Id, Timestamp
from worker.queries.schema.base import limit, metadata

job_copies = Table(
    "job_copies",
    metadata,
    # No foreign keys: either may be pruned, and the other still says what became of it
    Column("copy_id", Id, primary_key=True),
    Column("original_id", Id, nullable=False),
    Column("at", Timestamp, nullable=False),
    Column("made_by", Text, nullable=False),
    limit("made_by", 100, 1),
)
Index("ix_job_copies_original", job_copies.c.original_id, job_copies.c.at.desc())
