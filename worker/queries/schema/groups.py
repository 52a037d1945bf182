"""What people decided about dead letters with the same error."""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, Table, Text, text

from worker.database import Timestamp, bounded
from worker.queries.schema.base import limit, metadata

# Only groups that somebody touched have a row; all others are new
dead_letter_groups = Table(
    "dead_letter_groups",
    metadata,
    # 20261129_c005
    Column("fingerprint", Text, primary_key=True),
    Column("assignee", Text),
    Column("note", Text),
    # A snooze lasts until a time, until more than so many die within an hour, or else until the next one dies
    Column("snoozed_until", Timestamp),
    Column("updated_at", Timestamp, nullable=False),
    Column("updated_by", Text, nullable=False),
    # 20261130_c019
    Column("state", Text, nullable=False, server_default="new"),
    Column("snooze_rate", Integer),
    Column("resolved_in", Text),
    # What the group was called when a rule was made, for when it has no dead letter to tell
    Column("title", Text),
    Column("state_at", Timestamp),
    Column("state_by", Text),
    # The rules: what joins another group, and what is kept apart by its exact message
    Column("merged_into", Text),
    Column("split_from", Text),
    Column("is_split", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("state IN ('new', 'taken', 'snoozed', 'resolved', 'returned')", name="state"),
    CheckConstraint("snooze_rate BETWEEN 1 AND 1000", name="snooze_rate"),
    limit("resolved_in", 100, 1),
    limit("title", 500),
    limit("note", 2000),
)
Index("ix_dead_letter_groups_merged", dead_letter_groups.c.merged_into, **bounded("merged_into IS NOT NULL"))
Index("ix_dead_letter_groups_split", dead_letter_groups.c.split_from, **bounded("split_from IS NOT NULL"))
