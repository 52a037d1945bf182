"""Who works, who waits for work, and which queues are paused."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text

from worker.database import Bytewise, Json, Names, Timestamp, bounded, check
from worker.queries.schema.base import document, limit, metadata

worker_instances = Table(
    "worker_instances",
    metadata,
    Column("instance_id", Text, primary_key=True),
    Column("component", Text, nullable=False),
    Column("role", Text),
    Column("label", Text),
    Column("job_types", Names, nullable=False),
    Column("queues", Names),
    Column("concurrency", Integer, nullable=False),
    Column("metadata", Json),
    Column("host", Text),
    Column("pid", Integer),
    Column("version", Text),
    Column("started_at", Timestamp, nullable=False),
    Column("last_heartbeat_at", Timestamp, nullable=False),
    # Epoch seconds of the last 40 beats, newest last: the gaps in a worker's pulse
    Column("recent_beats", Json, nullable=False, server_default="[]"),
    Column("heartbeat_interval_seconds", Integer, nullable=False, server_default="10"),
    Column("drain_requested_at", Timestamp),
    Column("stopped_at", Timestamp),
    # 20261130_c015: by how much its own clock is ahead of the database's, the way of the beat included
    Column("clock_ahead_ms", Integer),
    limit("instance_id", 100, 1),
    limit("component", 100, 1),
    limit("role", 100),
    limit("label", 200),
    *check(
        "queues",
        postgresql="queues IS NULL OR cardinality(queues) > 0",
        sqlite="queues IS NULL OR json_array_length(queues) > 0",
    ),
    *document("metadata", 16_384),
    postgresql_with={"fillfactor": 70},
)
Index("ix_worker_instances_page", worker_instances.c.started_at.desc(), worker_instances.c.instance_id.desc())
Index(
    "ix_worker_instances_live",
    worker_instances.c.component,
    **bounded("stopped_at IS NULL"),
)

runtime_heartbeats = Table(
    "runtime_heartbeats",
    metadata,
    Column("component", Text, primary_key=True),
    Column("instance_id", Text, nullable=False),
    Column("heartbeat_at", Timestamp, nullable=False),
    Column("detail", Json, nullable=False, server_default="{}"),
)

duty_runs = Table(
    "duty_runs",
    metadata,
    Column("duty", Text, primary_key=True),
    Column("ran_at", Timestamp, nullable=False),
    Column("ran_by", Text, nullable=False),
    limit("duty", 50, 1),
    limit("ran_by", 100, 1),
)

sleepers = Table(
    "sleepers",
    metadata,
    # Who waits for a hint: a producer notifies only while somebody does (see worker.queries.wakeups)
    Column("channel", Text, primary_key=True),
    Column("sleeper", Text, primary_key=True),
    Column("since", Timestamp, nullable=False),
)

queue_controls = Table(
    "queue_controls",
    metadata,
    Column("queue", Bytewise, primary_key=True),
    Column("paused_at", Timestamp, nullable=False),
    Column("paused_by", Text, nullable=False),
    Column("paused_until", Timestamp),
    Column("reason", Text, nullable=False),
    limit("reason", 500),
)
