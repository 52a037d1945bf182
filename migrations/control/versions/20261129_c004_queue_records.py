"""Events, attempts, steps, workers, pauses and statistics: the rest of the queue."""

from alembic import op

revision = "20261129_c004"
down_revision = "20260727_c003"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE control.event_outbox (
    id UUID NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    source TEXT NOT NULL,
    occurred_at timestamptz NOT NULL,
    tenant_id UUID,
    payload JSONB NOT NULL,
    schema_version INTEGER DEFAULT '1' NOT NULL,
    metadata JSONB,
    created_at timestamptz DEFAULT now() NOT NULL,
    relayed_at timestamptz,
    fanout INTEGER,
    relay_attempts INTEGER DEFAULT '0' NOT NULL,
    relay_error TEXT,
    retry_at timestamptz,
    CONSTRAINT pk_event_outbox PRIMARY KEY (id),
    CONSTRAINT ck_event_outbox_event_id CHECK (length(event_id) BETWEEN 1 AND 36),
    CONSTRAINT ck_event_outbox_event_type CHECK (length(event_type) BETWEEN 1 AND 100),
    CONSTRAINT ck_event_outbox_source CHECK (length(source) BETWEEN 1 AND 50),
    CONSTRAINT ck_event_outbox_payload CHECK (length(CAST(payload AS text)) <= 2097152),
    CONSTRAINT ck_event_outbox_schema_version CHECK (schema_version >= 1),
    CONSTRAINT ck_event_outbox_fanout CHECK ((relayed_at IS NULL) = (fanout IS NULL) AND fanout > 0),
    CONSTRAINT ck_event_outbox_relay_error CHECK (length(relay_error) BETWEEN 0 AND 4000),
    CONSTRAINT uq_event_outbox_event_id UNIQUE (event_id)
);
CREATE INDEX ix_event_outbox_parked ON control.event_outbox (retry_at)
        WHERE relayed_at IS NULL AND retry_at IS NOT NULL;
CREATE INDEX ix_event_outbox_pending ON control.event_outbox (created_at, id)
        WHERE relayed_at IS NULL AND retry_at IS NULL;
CREATE INDEX ix_event_outbox_relayed ON control.event_outbox (relayed_at) WHERE relayed_at IS NOT NULL;
CREATE TABLE control.job_attempts (
    job_id UUID NOT NULL,
    generation INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    worker_id TEXT NOT NULL,
    claimed_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz NOT NULL,
    outcome TEXT NOT NULL,
    retry_at timestamptz,
    error TEXT,
    CONSTRAINT pk_job_attempts PRIMARY KEY (job_id, generation),
    CONSTRAINT ck_job_attempts_outcome CHECK (
        outcome IN ('completed', 'failed', 'dead_letter', 'lease_expired',
        'superseded', 'released', 'abandoned', 'cancelled')),
    CONSTRAINT ck_job_attempts_error CHECK (length(error) BETWEEN 0 AND 4000)
);
CREATE INDEX ix_job_attempts_finished ON control.job_attempts (finished_at);
CREATE INDEX ix_job_attempts_worker ON control.job_attempts (worker_id, finished_at DESC);
CREATE TABLE control.job_steps (
    job_id UUID NOT NULL,
    generation INTEGER NOT NULL,
    ordinal SMALLINT NOT NULL,
    step TEXT NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    outcome TEXT,
    error TEXT,
    CONSTRAINT pk_job_steps PRIMARY KEY (job_id, generation, ordinal),
    CONSTRAINT ck_job_steps_outcome CHECK (outcome IN ('done', 'skipped', 'failed', 'lost')),
    CONSTRAINT ck_job_steps_error CHECK (length(error) BETWEEN 0 AND 4000),
    CONSTRAINT fk_job_steps_job_id FOREIGN KEY(job_id) REFERENCES control.platform_jobs (id) ON DELETE CASCADE
);
CREATE TABLE control.worker_instances (
    instance_id TEXT NOT NULL,
    component TEXT NOT NULL,
    role TEXT,
    label TEXT,
    job_types TEXT[] NOT NULL,
    queues TEXT[],
    concurrency INTEGER NOT NULL,
    metadata JSONB,
    host TEXT,
    pid INTEGER,
    version TEXT,
    started_at timestamptz NOT NULL,
    last_heartbeat_at timestamptz NOT NULL,
    recent_beats JSONB DEFAULT '[]' NOT NULL,
    heartbeat_interval_seconds INTEGER DEFAULT '10' NOT NULL,
    drain_requested_at timestamptz,
    stopped_at timestamptz,
    CONSTRAINT pk_worker_instances PRIMARY KEY (instance_id),
    CONSTRAINT ck_worker_instances_instance_id CHECK (length(instance_id) BETWEEN 1 AND 100),
    CONSTRAINT ck_worker_instances_component CHECK (length(component) BETWEEN 1 AND 100),
    CONSTRAINT ck_worker_instances_role CHECK (length(role) BETWEEN 0 AND 100),
    CONSTRAINT ck_worker_instances_label CHECK (length(label) BETWEEN 0 AND 200),
    CONSTRAINT ck_worker_instances_queues CHECK (queues IS NULL OR cardinality(queues) > 0),
    CONSTRAINT ck_worker_instances_metadata CHECK (length(CAST(metadata AS text)) <= 16384)
)
 WITH (fillfactor = 70);
CREATE INDEX ix_worker_instances_live ON control.worker_instances (component) WHERE stopped_at IS NULL;
CREATE INDEX ix_worker_instances_page ON control.worker_instances (started_at DESC, instance_id DESC);
CREATE TABLE control.runtime_heartbeats (
    component TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    detail JSONB DEFAULT '{}' NOT NULL,
    CONSTRAINT pk_runtime_heartbeats PRIMARY KEY (component)
);
CREATE TABLE control.sleepers (
    channel TEXT NOT NULL,
    sleeper TEXT NOT NULL,
    since timestamptz NOT NULL,
    CONSTRAINT pk_sleepers PRIMARY KEY (channel, sleeper)
);
CREATE TABLE control.queue_controls (
    queue TEXT COLLATE "C" NOT NULL,
    paused_at timestamptz NOT NULL,
    paused_by TEXT NOT NULL,
    paused_until timestamptz,
    reason TEXT NOT NULL,
    CONSTRAINT pk_queue_controls PRIMARY KEY (queue),
    CONSTRAINT ck_queue_controls_reason CHECK (length(reason) BETWEEN 0 AND 500)
);
CREATE TABLE control.statistics_minutes (
    minute timestamptz NOT NULL,
    handler_key TEXT NOT NULL,
    queue TEXT COLLATE "C" NOT NULL,
    outcome TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    run_ms BIGINT NOT NULL,
    wait_ms BIGINT NOT NULL,
    run_3 INTEGER DEFAULT '0' NOT NULL,
    run_10 INTEGER DEFAULT '0' NOT NULL,
    run_30 INTEGER DEFAULT '0' NOT NULL,
    run_100 INTEGER DEFAULT '0' NOT NULL,
    run_300 INTEGER DEFAULT '0' NOT NULL,
    run_1000 INTEGER DEFAULT '0' NOT NULL,
    run_3000 INTEGER DEFAULT '0' NOT NULL,
    run_10000 INTEGER DEFAULT '0' NOT NULL,
    run_30000 INTEGER DEFAULT '0' NOT NULL,
    run_100000 INTEGER DEFAULT '0' NOT NULL,
    run_300000 INTEGER DEFAULT '0' NOT NULL,
    run_more INTEGER DEFAULT '0' NOT NULL,
    wait_3 INTEGER DEFAULT '0' NOT NULL,
    wait_10 INTEGER DEFAULT '0' NOT NULL,
    wait_30 INTEGER DEFAULT '0' NOT NULL,
    wait_100 INTEGER DEFAULT '0' NOT NULL,
    wait_300 INTEGER DEFAULT '0' NOT NULL,
    wait_1000 INTEGER DEFAULT '0' NOT NULL,
    wait_3000 INTEGER DEFAULT '0' NOT NULL,
    wait_10000 INTEGER DEFAULT '0' NOT NULL,
    wait_30000 INTEGER DEFAULT '0' NOT NULL,
    wait_100000 INTEGER DEFAULT '0' NOT NULL,
    wait_300000 INTEGER DEFAULT '0' NOT NULL,
    wait_more INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT pk_statistics_minutes PRIMARY KEY (minute, handler_key, queue, outcome)
)
"""

VIEW = """
CREATE VIEW control.processing_jobs WITH (security_invoker = true) AS
SELECT id, queue, event_id, event_type, subscriber_id, source, payload, schema_version, metadata AS job_metadata,
       CASE status WHEN 'queued' THEN 'pending' WHEN 'running' THEN 'claimed' WHEN 'succeeded' THEN 'completed'
                   WHEN 'failed' THEN 'dead_letter' ELSE status END AS status,
       attempts, max_attempts, available_at, locked_by, locked_at, lease_expires_at, error_detail AS last_error,
       created_at, updated_at, finished_at AS completed_at
FROM control.platform_jobs WHERE subscriber_id IS NOT NULL
"""

ENQUEUE = """
CREATE FUNCTION control.enqueue_job(
    job_type text,
    payload jsonb DEFAULT '{}',
    tenant_id uuid DEFAULT NULL,
    queue text DEFAULT 'default',
    idempotency_key text DEFAULT NULL,
    max_attempts integer DEFAULT 5,
    available_at timestamptz DEFAULT NULL,
    source text DEFAULT 'sql'
) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    fingerprint constant text := encode(sha256(convert_to(enqueue_job.job_type || ' ' || payload, 'UTF8')), 'hex');
    due constant timestamptz := coalesce(enqueue_job.available_at, statement_timestamp());
    made uuid;
    known record;
BEGIN
    IF job_type = 'run_subscriber' THEN
        RAISE EXCEPTION 'job_type: run_subscriber is written by the relay alone' USING ERRCODE = '22023';
    END IF;
    -- before the constraint, whose violation would print the row in the server's log
    IF job_type = 'send_email' AND (payload ->> 'schema' = 'watchfloor.email.v1'
            AND jsonb_typeof(payload -> 'ciphertext') = 'string'
            AND payload - ARRAY['schema', 'ciphertext'] = '{}'::jsonb) IS NOT TRUE THEN
        RAISE EXCEPTION 'payload: send_email takes only the encrypted envelope' USING ERRCODE = '22023';
    END IF;
    INSERT INTO control.platform_jobs AS j (id, tenant_id, job_type, queue, payload, idempotency_key,
            idempotency_fingerprint, max_attempts, available_at, scheduled, source, created_at, updated_at)
    VALUES (gen_random_uuid(), enqueue_job.tenant_id, enqueue_job.job_type, enqueue_job.queue, enqueue_job.payload,
            enqueue_job.idempotency_key, CASE WHEN enqueue_job.idempotency_key IS NOT NULL THEN fingerprint END,
            enqueue_job.max_attempts, due, due > statement_timestamp(), enqueue_job.source,
            statement_timestamp(), statement_timestamp())
    ON CONFLICT DO NOTHING RETURNING j.id INTO made;
    IF made IS NOT NULL THEN
        PERFORM pg_notify('watchfloor_jobs', '')
            WHERE EXISTS (SELECT FROM control.sleepers s WHERE s.channel = 'watchfloor_jobs');
        RETURN made;
    END IF;
    SELECT j.id, j.job_type, j.idempotency_fingerprint AS body INTO STRICT known FROM control.platform_jobs j
    WHERE coalesce(CAST(j.tenant_id AS text), '') = coalesce(CAST(enqueue_job.tenant_id AS text), '')
        AND j.idempotency_key = enqueue_job.idempotency_key;
    IF known.job_type <> enqueue_job.job_type OR known.body <> fingerprint THEN
        RAISE EXCEPTION 'idempotency_key: belongs to a request with another job type or payload'
            USING ERRCODE = '23505';
    END IF;
    RETURN known.id;
END
$$
"""


def upgrade() -> None:
    """Create them."""
    for statement in (*TABLES.split(";\n"), VIEW, ENQUEUE):
        op.execute(statement)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute("DROP VIEW control.processing_jobs")
    op.execute("DROP FUNCTION control.enqueue_job")
    op.execute(
        "DROP TABLE control.statistics_minutes, control.queue_controls, control.sleepers,"
        " control.runtime_heartbeats, control.worker_instances, control.job_steps, control.job_attempts,"
        " control.event_outbox"
    )
