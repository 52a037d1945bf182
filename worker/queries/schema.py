"""The control schema: every table, constraint and index, as `migrations/control` builds it."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Computed,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    event,
    func,
    literal_column,
    text,
)

from worker.database import BigId, Bytewise, Id, Json, Names, Percent, Timestamp, bounded, check, clock_default
from worker.model import Status
from worker.queries.views import PROCESSING_JOBS

metadata = MetaData(
    schema="control",
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    },
)


def _limit(column: str, most: int, least: int = 0) -> CheckConstraint:
    return CheckConstraint(f"length({column}) BETWEEN {least} AND {most}", name=column)


def _document(column: str, most: int) -> tuple[CheckConstraint, ...]:
    bound = f"length(CAST({column} AS text)) <= {most}"
    return check(column, postgresql=bound, sqlite=f"({column} IS NULL OR json_valid({column})) AND {bound}")


def _payload() -> tuple[CheckConstraint, ...]:
    """Bounded as it is stored: every write of a row checks this, and its text would have to be written out for it."""
    return check(
        "payload",
        postgresql="pg_column_size(payload) <= 8388608",
        sqlite="json_valid(payload) AND length(payload) <= 8388608",
    )


tenants = Table(
    "tenants",
    metadata,
    Column("id", Id, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("display_name", Text, nullable=False),
    Column("schema_name", Text, nullable=False, unique=True),
    Column("onboarding_status", Text, nullable=False, server_default="created"),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("activated_at", Timestamp),
    *check(
        "slug",
        postgresql="slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'",
        sqlite="slug GLOB '[a-z0-9]*' AND slug NOT GLOB '*[^a-z0-9-]*' AND length(slug) <= 63",
    ),
    _limit("display_name", 200, 1),
    *check(
        "schema_name",
        postgresql="schema_name ~ '^tenant_[a-z0-9_]{1,56}$'",
        sqlite="schema_name GLOB 'tenant_[a-z0-9_]*' AND schema_name NOT GLOB '*[^a-z0-9_]*'"
        " AND length(schema_name) <= 63",
    ),
    CheckConstraint(
        "onboarding_status IN ('created', 'provisioning', 'active', 'suspended')", name="onboarding_status"
    ),
)

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
    _limit("job_type", 100, 1),
    CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="status"),
    CheckConstraint("progress BETWEEN 0 AND 100", name="progress"),
    *check(
        "steps_completed",
        postgresql="jsonb_typeof(steps_completed) = 'array'",
        sqlite="json_valid(steps_completed) AND json_type(steps_completed) = 'array'",
    ),
    _limit("error_detail", 4000),
    *_payload(),
    _limit("idempotency_key", 255, 1),
    CheckConstraint("attempts >= 0", name="attempts"),
    CheckConstraint("max_attempts BETWEEN 1 AND 1000", name="max_attempts"),
    _limit("locked_by", 100),
    _limit("event_id", 36, 1),
    _limit("event_type", 100, 1),
    _limit("subscriber_id", 200, 1),
    _limit("source", 50),
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


Index(
    "uq_platform_jobs_event_subscriber",
    platform_jobs.c.event_id,
    platform_jobs.c.subscriber_id,
    unique=True,
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
# Read from its end; so that it also grows there, which costs a writer least, it ascends
Index("ix_platform_jobs_recent", platform_jobs.c.created_at, platform_jobs.c.id)

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
    _limit("event_id", 36, 1),
    _limit("event_type", 100, 1),
    _limit("source", 50, 1),
    *_payload(),
    CheckConstraint("schema_version >= 1", name="schema_version"),
    CheckConstraint("(relayed_at IS NULL) = (fanout IS NULL) AND fanout > 0", name="fanout"),
    _limit("relay_error", 4000),
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

job_attempts = Table(
    "job_attempts",
    metadata,
    Column("job_id", Id, primary_key=True),  # no foreign key: history may outlive its job
    Column("generation", Integer, primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("worker_id", Text, nullable=False),
    Column("claimed_at", Timestamp, nullable=False),
    Column("started_at", Timestamp),
    Column("finished_at", Timestamp, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("retry_at", Timestamp),
    Column("error", Text),
    CheckConstraint(
        "outcome IN ('completed', 'failed', 'dead_letter', 'lease_expired', 'superseded', 'released', 'abandoned',"
        " 'cancelled')",
        name="outcome",
    ),
    _limit("error", 4000),
)
Index("ix_job_attempts_worker", job_attempts.c.worker_id, job_attempts.c.finished_at.desc())
Index("ix_job_attempts_finished", job_attempts.c.finished_at)

job_steps = Table(
    "job_steps",
    metadata,
    Column("job_id", Id, ForeignKey(platform_jobs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("generation", Integer, primary_key=True),
    Column("ordinal", SmallInteger, primary_key=True),
    Column("step", Text, nullable=False),
    Column("started_at", Timestamp, nullable=False),
    Column("finished_at", Timestamp),
    Column("outcome", Text),
    Column("error", Text),
    CheckConstraint("outcome IN ('done', 'skipped', 'failed', 'lost')", name="outcome"),
    _limit("error", 4000),
)

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
    _limit("instance_id", 100, 1),
    _limit("component", 100, 1),
    _limit("role", 100),
    _limit("label", 200),
    *check(
        "queues",
        postgresql="queues IS NULL OR cardinality(queues) > 0",
        sqlite="queues IS NULL OR json_array_length(queues) > 0",
    ),
    *_document("metadata", 16_384),
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

sleepers = Table(
    "sleepers",
    metadata,
    # Who waits for a hint: a producer notifies only while somebody does (see worker.queries.wakeups)
    Column("channel", Text, primary_key=True),
    Column("sleeper", Text, primary_key=True),
    Column("since", Timestamp, nullable=False),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    # The subscribers of the whole deployment, as the processes that register them say again and again
    Column("subscriber_id", Text, primary_key=True),
    Column("event_type", Text, nullable=False),
    Column("seen_at", Timestamp, nullable=False),
    _limit("subscriber_id", 200, 1),
    _limit("event_type", 100, 1),
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
    _limit("subscriber_id", 200, 1),
    _limit("error", 4000),
)

queue_controls = Table(
    "queue_controls",
    metadata,
    Column("queue", Bytewise, primary_key=True),
    Column("paused_at", Timestamp, nullable=False),
    Column("paused_by", Text, nullable=False),
    Column("paused_until", Timestamp),
    Column("reason", Text, nullable=False),
    _limit("reason", 500),
)

operators = Table(
    "operators",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password", Text),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("disabled_at", Timestamp),
    Column("last_seen_at", Timestamp),
    _limit("name", 100, 1),
    CheckConstraint("role IN ('viewer', 'operator', 'admin')", name="role"),
)
Index("uq_operators_name", func.lower(operators.c.name), unique=True)

operator_sessions = Table(
    "operator_sessions",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Timestamp, nullable=False),
    Column("seen_at", Timestamp, nullable=False),
    Column("expires_at", Timestamp, nullable=False),
    Column("address", Text),
    Column("user_agent", Text),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Timestamp, nullable=False),
    Column("expires_at", Timestamp, nullable=False),
    Column("used_at", Timestamp),
)

rate_counters = Table(
    "rate_counters",
    metadata,
    Column("key", Text, primary_key=True),
    Column("minute", Timestamp, primary_key=True),
    Column("uses", Integer, nullable=False),
)

operator_actions = Table(
    "operator_actions",
    metadata,
    Column("id", BigId, Identity(always=True), primary_key=True),
    Column("at", Timestamp, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("target", Text),
    Column("tenant_id", Id),
    Column("jobs", Integer, nullable=False, server_default="0"),
    Column("reason", Text),
    Column("detail", Json, nullable=False, server_default="{}"),
    Column("address", Text),
    Column("request_id", Text),
    # The chain: each row's hash covers the hash before it, so a changed or missing row is found
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    CheckConstraint("outcome IN ('done', 'refused')", name="outcome"),
    _limit("actor", 100, 1),
    _limit("action", 50, 1),
    _limit("target", 300),
    _limit("reason", 500),
    sqlite_autoincrement=True,
)

operator_action_jobs = Table(
    "operator_action_jobs",
    metadata,
    Column("action_id", BigInteger, ForeignKey(operator_actions.c.id), primary_key=True),
    Column("job_id", Id, primary_key=True),
)
Index("ix_operator_action_jobs_job", operator_action_jobs.c.job_id, operator_action_jobs.c.action_id.desc())

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
)

dead_letter_groups = Table(
    "dead_letter_groups",
    metadata,
    Column("fingerprint", Text, primary_key=True),
    Column("assignee", Text),
    Column("note", Text),
    Column("snoozed_until", Timestamp),
    Column("updated_at", Timestamp, nullable=False),
    Column("updated_by", Text, nullable=False),
    _limit("note", 2000),
)

for _statement in PROCESSING_JOBS:
    event.listen(metadata, "after_create", _statement)
