"""Finished attempts per minute, and of all time."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from worker.database import Bytewise, Id, Timestamp
from worker.queries.schema.base import metadata

BUCKETS_MS = (3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Upper bounds of the histogram's buckets; one more counts what is longer."""

RUN_BUCKETS = tuple(f"run_{bound}" for bound in (*BUCKETS_MS, "more"))
WAIT_BUCKETS = tuple(f"wait_{bound}" for bound in (*BUCKETS_MS, "more"))

statistics_minutes = Table(
    "statistics_minutes",
    metadata,
    Column("minute", Timestamp, primary_key=True),
    Column("handler_key", Text, primary_key=True),
    Column("queue", Bytewise, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("jobs", Integer, nullable=False),
    Column("run_ms", BigInteger, nullable=False),
    Column("wait_ms", BigInteger, nullable=False),
    *(Column(name, Integer, nullable=False, server_default="0") for name in (*RUN_BUCKETS, *WAIT_BUCKETS)),
    # 20261130_c015: of the completed, those that had failed twice before
    Column("late", Integer, nullable=False, server_default="0"),
)
Index("ix_statistics_minutes_queue", statistics_minutes.c.queue, statistics_minutes.c.minute)
Index("ix_statistics_minutes_handler", statistics_minutes.c.handler_key, statistics_minutes.c.minute)

# 20261130_c024: the same of the jobs that have a tenant, kept for as long as a chart looks back
tenant_statistics_minutes = Table(
    "tenant_statistics_minutes",
    metadata,
    Column("minute", Timestamp, primary_key=True),
    Column("tenant_id", Id, primary_key=True),
    Column("handler_key", Text, primary_key=True),
    Column("queue", Bytewise, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("jobs", Integer, nullable=False),
    Column("late", Integer, nullable=False),
    Column("run_ms", BigInteger, nullable=False),
    Column("wait_ms", BigInteger, nullable=False),
    *(Column(name, Integer, nullable=False) for name in (*RUN_BUCKETS, *WAIT_BUCKETS)),
)
Index("ix_tenant_statistics_minutes_tenant", tenant_statistics_minutes.c.tenant_id, tenant_statistics_minutes.c.minute)

# 20261130_c023: counted on where the minutes before are forgotten
TOTALLED = ("jobs", "run_ms", *RUN_BUCKETS)

statistics_totals = Table(
    "statistics_totals",
    metadata,
    Column("handler_key", Text, primary_key=True),
    Column("queue", Bytewise, primary_key=True),
    Column("outcome", Text, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in TOTALLED),
    Column("began_at", Timestamp, nullable=False),
    Column("seen_at", Timestamp, nullable=False),
)
statistics_marks = Table(
    "statistics_marks",
    metadata,
    Column("name", Text, primary_key=True),
    # The last one that went into what is named
    Column("minute", Timestamp, nullable=False),
)
