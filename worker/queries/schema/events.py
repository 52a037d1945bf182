"""Events that wait to be fanned out, and who takes them."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Integer, Table, Text

from worker.database import Id, Json, Timestamp, bounded, clock_default
from worker.queries.schema.base import limit, metadata, payload

event_outbox = Table(
    "event_outbox",
    metadata,
    Column("id", Id, primary_key=True),
    Column("event_id", Text, nullable=False, unique=True),
    Column("event_type", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("occurred_at", Timestamp, nullable=False),
    Column("tenant_id", Id),
    Column("payload", Json, nullable=False),
    Column("schema_version", Integer, nullable=False, server_default="1"),
    Column("metadata", Json),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("relayed_at", Timestamp),
    Column("fanout", Integer),
    Column("relay_attempts", Integer, nullable=False, server_default="0"),
    Column("relay_error", Text),
    Column("retry_at", Timestamp),
    Column("traceparent", Text),
    limit("event_id", 36, 1),
    limit("event_type", 100, 1),
    limit("source", 50, 1),
    *payload(),
    CheckConstraint("schema_version >= 1", name="schema_version"),
    CheckConstraint("(relayed_at IS NULL) = (fanout IS NULL) AND fanout > 0", name="fanout"),
    limit("relay_error", 4000),
)
Index(
    "ix_event_outbox_pending",
    event_outbox.c.created_at,
    event_outbox.c.id,
    **bounded("relayed_at IS NULL AND retry_at IS NULL"),
)
# What failed, or what nobody subscribes to, waits aside so that it never stands in front of the rest
Index(
    "ix_event_outbox_parked",
    event_outbox.c.retry_at,
    **bounded("relayed_at IS NULL AND retry_at IS NOT NULL"),
)
Index("ix_event_outbox_relayed", event_outbox.c.relayed_at, **bounded("relayed_at IS NOT NULL"))

subscriptions = Table(
    "subscriptions",
    metadata,
    # The subscribers of the whole deployment, as the processes that register them say again and again
    Column("subscriber_id", Text, primary_key=True),
    Column("event_type", Text, nullable=False),
    Column("seen_at", Timestamp, nullable=False),
    limit("subscriber_id", 200, 1),
    limit("event_type", 100, 1),
)

net_runs = Table(
    "net_runs",
    metadata,
    # The latest run of each subscriber's backfill; while it runs, `leased_until` keeps others off it
    Column("subscriber_id", Text, primary_key=True),
    Column("runner", Text, nullable=False),
    Column("started_at", Timestamp, nullable=False),
    Column("leased_until", Timestamp),
    Column("finished_at", Timestamp),
    Column("error", Text),
    limit("subscriber_id", 200, 1),
    limit("error", 4000),
)
