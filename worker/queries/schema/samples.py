"""What was seen once a minute: how much waited, and how bad each kind of trouble was."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, Table, Text

from worker.database import Bytewise, Id, Timestamp
from worker.queries.schema.base import limit, metadata

sample_minutes = Table(
    "sample_minutes",
    metadata,
    # One row for each minute that was looked at: a minute without one is not known, whatever the other tables lack
    Column("minute", Timestamp, primary_key=True),
    Column("ready", Integer, nullable=False),
    Column("oldest_seconds", Integer, nullable=False),
    Column("scheduled", Integer, nullable=False),
    Column("running", Integer, nullable=False),
    Column("dead", Integer, nullable=False),
    # 20261130_c024: whether what every tenant had was kept; unknown of the minutes before there was anything to keep
    Column("tenants_in_full", Boolean),
)

backlog_minutes = Table(
    "backlog_minutes",
    metadata,
    Column("minute", Timestamp, primary_key=True),
    Column("queue", Bytewise, primary_key=True),
    Column("handler_key", Text, primary_key=True),
    Column("ready", Integer, nullable=False),
    Column("oldest_seconds", Integer, nullable=False),
    Column("scheduled", Integer, nullable=False),
    Column("running", Integer, nullable=False),
    Column("dead", Integer, nullable=False),
)
Index("ix_backlog_minutes_queue", backlog_minutes.c.queue, backlog_minutes.c.minute)
Index("ix_backlog_minutes_handler", backlog_minutes.c.handler_key, backlog_minutes.c.minute)

tenant_backlog_minutes = Table(
    "tenant_backlog_minutes",
    metadata,
    # 20261130_c024
    Column("minute", Timestamp, primary_key=True),
    Column("tenant_id", Id, primary_key=True),
    Column("queue", Bytewise, primary_key=True),
    Column("handler_key", Text, primary_key=True),
    Column("ready", Integer, nullable=False),
    Column("oldest_seconds", Integer, nullable=False),
    Column("scheduled", Integer, nullable=False),
    Column("running", Integer, nullable=False),
    Column("dead", Integer, nullable=False),
)
Index("ix_tenant_backlog_minutes_tenant", tenant_backlog_minutes.c.tenant_id, tenant_backlog_minutes.c.minute)

finding_minutes = Table(
    "finding_minutes",
    metadata,
    # No threshold went into these, so that any threshold can be tried on them
    Column("kind", Text, primary_key=True),
    Column("minute", Timestamp, primary_key=True),
    Column("value", Float, nullable=False),
    limit("kind", 40, 1),
)
Index("ix_finding_minutes_minute", finding_minutes.c.minute)
