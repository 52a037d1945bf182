"""The queue itself."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    DDL,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Computed,
    Index,
    Integer,
    Table,
    Text,
    event,
    func,
    literal_column,
    text,
)

from worker.database import Bytewise, Id, Json, Percent, Timestamp, bounded, check, clock_default
from worker.model import Status
from worker.queries.schema.base import limit, metadata, payload

platform_jobs = Table(
    "platform_jobs",
    metadata,
    # 20260722_c001
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id),
    Column("job_type", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="queued"),
    Column("progress", Percent, nullable=False, server_default="0"),
    Column("steps_completed", Json, nullable=False, server_default="[]"),
    Column("error_detail", Text),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("updated_at", Timestamp, nullable=False, server_default=clock_default()),
    # 20260727_c003
    Column("payload", Json, nullable=False, server_default="{}"),
    Column("idempotency_key", Text),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("max_attempts", Integer, nullable=False, server_default="5"),
    Column("available_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("locked_at", Timestamp),
    Column("locked_by", Text),
    Column("event_id", Text),
    Column("event_type", Text),
    Column("subscriber_id", Text),
    Column("source", Text, nullable=False, server_default="api"),
    Column("handler_key", Text, Computed("coalesce(subscriber_id, job_type)", persisted=True), nullable=False),
    Column("queue", Bytewise, nullable=False, server_default="default"),
    Column("idempotency_fingerprint", Text),
    Column("schema_version", Integer, nullable=False, server_default="1"),
    Column("metadata", Json),
    Column("generation", Integer, nullable=False, server_default="0"),
    Column("replays", Integer, nullable=False, server_default="0"),
    # True while the job waits for available_at, so that a claim never walks over work that is not due
    Column("scheduled", Boolean, nullable=False, server_default=text("false")),
    Column("lease_expires_at", Timestamp),
    Column("cancel_requested_at", Timestamp),
    Column("error_type", Text),
    Column("error_summary", Text),
    Column("error_fingerprint", Text),
    Column("finished_at", Timestamp),
    # The message as it is compared, and the version of the rule that made it so: see failures.RULE
    Column("error_alike", Text),
    Column("error_rule", Integer),
    # The span that asked for it, as W3C writes it; null where nobody traces
    Column("traceparent", Text),
    limit("job_type", 100, 1),
    CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="status"),
    CheckConstraint("progress BETWEEN 0 AND 100", name="progress"),
    *check(
        "steps_completed",
        postgresql="jsonb_typeof(steps_completed) = 'array'",
        sqlite="json_valid(steps_completed) AND json_type(steps_completed) = 'array'",
    ),
    limit("error_detail", 4000),
    *payload(),
    limit("idempotency_key", 255, 1),
    CheckConstraint("attempts >= 0", name="attempts"),
    CheckConstraint("max_attempts BETWEEN 1 AND 1000", name="max_attempts"),
    limit("locked_by", 100),
    limit("event_id", 36, 1),
    limit("event_type", 100, 1),
    limit("subscriber_id", 200, 1),
    limit("source", 50),
    *check(
        "queue",
        postgresql="queue ~ '^[a-z0-9][a-z0-9._-]*$' AND length(queue) <= 100",
        sqlite="queue GLOB '[a-z0-9]*' AND queue NOT GLOB '*[^a-z0-9._-]*' AND length(queue) <= 100",
    ),
    CheckConstraint("generation >= 0", name="generation"),
    CheckConstraint(
        "(event_id IS NULL) = (subscriber_id IS NULL) AND (event_id IS NULL) = (event_type IS NULL)", name="event_pair"
    ),
    CheckConstraint("job_type <> 'run_subscriber' OR subscriber_id IS NOT NULL", name="run_subscriber"),
    CheckConstraint("job_type <> 'provision_tenant' OR tenant_id IS NOT NULL", name="provision_tenant"),
    CheckConstraint(
        "status = 'running' OR (locked_by IS NULL AND locked_at IS NULL AND lease_expires_at IS NULL)", name="lock"
    ),
    CheckConstraint("(status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)", name="finished"),
    # The application refuses such a row first: this violation would print it in the server's log.
    *check(
        "email_encrypted",
        postgresql="job_type <> 'send_email' OR subscriber_id IS NOT NULL"
        " OR (payload ->> 'schema' = 'watchfloor.email.v1' AND jsonb_typeof(payload -> 'ciphertext') = 'string'"
        " AND payload - ARRAY['schema', 'ciphertext'] = CAST('{}' AS jsonb)) IS TRUE",
        sqlite="job_type <> 'send_email' OR subscriber_id IS NOT NULL"
        " OR (payload ->> 'schema' = 'watchfloor.email.v1' AND json_type(payload, '$.ciphertext') = 'text'"
        " AND json_remove(payload, '$.schema', '$.ciphertext') = '{}') IS TRUE",
    ),
    postgresql_with={"fillfactor": 85},
)


def has_status(*statuses: Status) -> ColumnElement[bool]:
    """Whether a job is in one of these states, written out: a parameter would hide the partial indexes from a plan."""
    words = [literal_column(f"'{status}'", Text) for status in statuses]
    column = platform_jobs.c.status
    return column == words[0] if len(words) == 1 else column.in_(words)  # SQLite takes `IN` with one for another thing


# 20261130_c029: of what grows at its end and has an entry for each version of a row, a claim would split every page
_ROOM = {"fillfactor": 60}
_ddl: Callable[[str], DDL] = DDL
event.listen(
    platform_jobs,
    "after_create",
    _ddl("ALTER INDEX control.pk_platform_jobs SET (fillfactor = 60)").execute_if(dialect="postgresql"),
)
Index(
    "uq_platform_jobs_event_subscriber",
    platform_jobs.c.event_id,
    platform_jobs.c.subscriber_id,
    unique=True,
    postgresql_with=_ROOM,
    **bounded("event_id IS NOT NULL"),
)
Index(
    "uq_platform_jobs_key",
    # Written as queries compile it, capitals included: else SQLite does not find the index
    text("coalesce(CAST(tenant_id AS TEXT), '')"),
    platform_jobs.c.idempotency_key,
    unique=True,
    **bounded("idempotency_key IS NOT NULL"),
)
Index(
    "ix_platform_jobs_ready",
    platform_jobs.c.queue,
    platform_jobs.c.created_at,
    platform_jobs.c.id,
    **bounded("status = 'queued' AND NOT scheduled", sqlite="status = 'queued' AND scheduled = 0"),
)
Index(
    "ix_platform_jobs_scheduled",
    platform_jobs.c.available_at,
    platform_jobs.c.id,
    **bounded("status = 'queued' AND scheduled", sqlite="status = 'queued' AND scheduled = 1"),
)
Index("ix_platform_jobs_running", platform_jobs.c.locked_by, **bounded("status = 'running'"))
Index(
    "ix_platform_jobs_dead",
    platform_jobs.c.finished_at.desc(),
    platform_jobs.c.id.desc(),
    **bounded("status = 'failed'"),
)
Index(
    "ix_platform_jobs_dead_group",
    platform_jobs.c.error_fingerprint,
    platform_jobs.c.finished_at.desc(),
    platform_jobs.c.id.desc(),
    **bounded("status = 'failed'"),
)
# What an older rule grouped, or none that was noted, is found here and read again
Index(
    "ix_platform_jobs_dead_rule",
    func.coalesce(platform_jobs.c.error_rule, literal_column("0")),
    platform_jobs.c.id,
    **bounded("status = 'failed'"),
)
# Direct jobs are the audit record and stay; only what came from an event is ever pruned (see retention)
Index(
    "ix_platform_jobs_prunable",
    platform_jobs.c.finished_at,
    **bounded("status IN ('succeeded', 'cancelled') AND event_id IS NOT NULL"),
)
Index(
    "ix_platform_jobs_tenant",
    platform_jobs.c.tenant_id,
    platform_jobs.c.created_at.desc(),
    platform_jobs.c.id.desc(),
    **bounded("tenant_id IS NOT NULL"),
)
# What is open of one tenant, however much others have and however long its history: for the tenant's own figures
Index(
    "ix_platform_jobs_tenant_waiting",
    platform_jobs.c.tenant_id,
    platform_jobs.c.available_at,
    platform_jobs.c.id,
    **bounded("status = 'queued' AND tenant_id IS NOT NULL"),
)
Index(
    "ix_platform_jobs_tenant_dead",
    platform_jobs.c.tenant_id,
    platform_jobs.c.finished_at.desc(),
    platform_jobs.c.id.desc(),
    **bounded("status = 'failed' AND tenant_id IS NOT NULL"),
)
# The inbox in the lens of a tenant; only a job that fails for good, and has a tenant, is written to it
Index(
    "ix_platform_jobs_tenant_group",
    platform_jobs.c.tenant_id,
    platform_jobs.c.error_fingerprint,
    platform_jobs.c.finished_at.desc(),
    platform_jobs.c.id.desc(),
    **bounded("status = 'failed' AND tenant_id IS NOT NULL"),
)
# Read from its end; so that it also grows there, which costs a writer least, it ascends
Index(
    "ix_platform_jobs_recent",
    platform_jobs.c.created_at,
    platform_jobs.c.id,
    postgresql_with=_ROOM,
)
