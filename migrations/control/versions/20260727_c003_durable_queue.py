"""Make control.platform_jobs a durable, retryable work queue (S1-09)."""

from alembic import op

revision = "20260727_c003"
down_revision = "20260722_c001"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE control.platform_jobs
    ADD COLUMN payload JSONB DEFAULT '{}' NOT NULL,
    ADD COLUMN idempotency_key TEXT,
    ADD COLUMN attempts INTEGER DEFAULT '0' NOT NULL,
    ADD COLUMN max_attempts INTEGER DEFAULT '5' NOT NULL,
    ADD COLUMN available_at timestamptz DEFAULT now() NOT NULL,
    ADD COLUMN locked_at timestamptz,
    ADD COLUMN locked_by TEXT,
    ADD COLUMN event_id TEXT,
    ADD COLUMN event_type TEXT,
    ADD COLUMN subscriber_id TEXT,
    ADD COLUMN source TEXT DEFAULT 'api' NOT NULL,
    ADD COLUMN handler_key TEXT GENERATED ALWAYS AS (coalesce(subscriber_id, job_type)) STORED NOT NULL,
    ADD COLUMN queue TEXT COLLATE "C" DEFAULT 'default' NOT NULL,
    ADD COLUMN idempotency_fingerprint TEXT,
    ADD COLUMN schema_version INTEGER DEFAULT '1' NOT NULL,
    ADD COLUMN metadata JSONB,
    ADD COLUMN generation INTEGER DEFAULT '0' NOT NULL,
    ADD COLUMN replays INTEGER DEFAULT '0' NOT NULL,
    ADD COLUMN scheduled BOOLEAN DEFAULT false NOT NULL,
    ADD COLUMN lease_expires_at timestamptz,
    ADD COLUMN cancel_requested_at timestamptz,
    ADD COLUMN error_type TEXT,
    ADD COLUMN error_summary TEXT,
    ADD COLUMN error_fingerprint TEXT,
    ADD COLUMN finished_at timestamptz
"""

# A record that was running or over has no lock and no end to show: give it what the constraints ask for.
OLD_ROWS = """
UPDATE control.platform_jobs SET finished_at = updated_at WHERE status IN ('succeeded', 'failed', 'cancelled')
"""

CONSTRAINTS = """
ALTER TABLE control.platform_jobs
    ADD CONSTRAINT ck_platform_jobs_job_type CHECK (length(job_type) BETWEEN 1 AND 100),
    ADD CONSTRAINT ck_platform_jobs_error_detail CHECK (length(error_detail) BETWEEN 0 AND 4000),
    ADD CONSTRAINT ck_platform_jobs_payload CHECK (length(CAST(payload AS text)) <= 2097152),
    ADD CONSTRAINT ck_platform_jobs_idempotency_key CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    ADD CONSTRAINT ck_platform_jobs_attempts CHECK (attempts >= 0),
    ADD CONSTRAINT ck_platform_jobs_max_attempts CHECK (max_attempts BETWEEN 1 AND 1000),
    ADD CONSTRAINT ck_platform_jobs_locked_by CHECK (length(locked_by) BETWEEN 0 AND 100),
    ADD CONSTRAINT ck_platform_jobs_event_id CHECK (length(event_id) BETWEEN 1 AND 36),
    ADD CONSTRAINT ck_platform_jobs_event_type CHECK (length(event_type) BETWEEN 1 AND 100),
    ADD CONSTRAINT ck_platform_jobs_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
    ADD CONSTRAINT ck_platform_jobs_source CHECK (length(source) BETWEEN 0 AND 50),
    ADD CONSTRAINT ck_platform_jobs_queue CHECK (queue ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    ADD CONSTRAINT ck_platform_jobs_generation CHECK (generation >= 0),
    ADD CONSTRAINT ck_platform_jobs_event_pair CHECK (
        (event_id IS NULL) = (subscriber_id IS NULL)
        AND (event_id IS NULL) = (event_type IS NULL)),
    ADD CONSTRAINT ck_platform_jobs_run_subscriber CHECK (
        job_type <> 'run_subscriber' OR subscriber_id IS NOT NULL),
    ADD CONSTRAINT ck_platform_jobs_provision_tenant CHECK (
        job_type <> 'provision_tenant' OR tenant_id IS NOT NULL),
    ADD CONSTRAINT ck_platform_jobs_lock CHECK (
        status = 'running' OR (locked_by IS NULL AND locked_at IS NULL AND lease_expires_at IS NULL)),
    ADD CONSTRAINT ck_platform_jobs_finished CHECK (
        (status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    ADD CONSTRAINT ck_platform_jobs_email_encrypted CHECK (
        job_type <> 'send_email' OR subscriber_id IS NOT NULL
        OR (payload ->> 'schema' = 'watchfloor.email.v1'
        AND jsonb_typeof(payload -> 'ciphertext') = 'string'
        AND payload - ARRAY['schema', 'ciphertext'] = CAST('{}' AS jsonb)) IS TRUE),
    ADD CONSTRAINT uq_platform_jobs_event_subscriber UNIQUE (event_id, subscriber_id)
"""

INDEXES = """
ALTER TABLE control.platform_jobs SET (fillfactor = 85);
CREATE INDEX ix_platform_jobs_dead ON control.platform_jobs (finished_at DESC, id DESC)
        WHERE status = 'failed';
CREATE INDEX ix_platform_jobs_dead_group ON control.platform_jobs (error_fingerprint, finished_at DESC, id DESC)
        WHERE status = 'failed';
CREATE INDEX ix_platform_jobs_prunable ON control.platform_jobs (finished_at)
        WHERE status IN ('succeeded', 'cancelled') AND event_id IS NOT NULL;
CREATE INDEX ix_platform_jobs_ready ON control.platform_jobs (queue, created_at, id)
        WHERE status = 'queued' AND NOT scheduled;
CREATE INDEX ix_platform_jobs_recent ON control.platform_jobs (created_at DESC, id DESC);
CREATE INDEX ix_platform_jobs_running ON control.platform_jobs (locked_by) WHERE status = 'running';
CREATE INDEX ix_platform_jobs_scheduled ON control.platform_jobs (available_at, id)
        WHERE status = 'queued' AND scheduled;
CREATE INDEX ix_platform_jobs_tenant ON control.platform_jobs (tenant_id, created_at DESC, id DESC)
        WHERE tenant_id IS NOT NULL;
CREATE UNIQUE INDEX uq_platform_jobs_key
        ON control.platform_jobs (coalesce(CAST(tenant_id AS text), ''), idempotency_key)
        WHERE idempotency_key IS NOT NULL
"""

UNDO = """
ALTER TABLE control.platform_jobs
    DROP COLUMN finished_at CASCADE,
    DROP COLUMN error_fingerprint CASCADE,
    DROP COLUMN error_summary CASCADE,
    DROP COLUMN error_type CASCADE,
    DROP COLUMN cancel_requested_at CASCADE,
    DROP COLUMN lease_expires_at CASCADE,
    DROP COLUMN scheduled CASCADE,
    DROP COLUMN replays CASCADE,
    DROP COLUMN generation CASCADE,
    DROP COLUMN metadata CASCADE,
    DROP COLUMN schema_version CASCADE,
    DROP COLUMN idempotency_fingerprint CASCADE,
    DROP COLUMN queue CASCADE,
    DROP COLUMN handler_key CASCADE,
    DROP COLUMN source CASCADE,
    DROP COLUMN subscriber_id CASCADE,
    DROP COLUMN event_type CASCADE,
    DROP COLUMN event_id CASCADE,
    DROP COLUMN locked_by CASCADE,
    DROP COLUMN locked_at CASCADE,
    DROP COLUMN available_at CASCADE,
    DROP COLUMN max_attempts CASCADE,
    DROP COLUMN attempts CASCADE,
    DROP COLUMN idempotency_key CASCADE,
    DROP COLUMN payload CASCADE
"""


def upgrade() -> None:
    """Add what a queue needs; rows that are there stay, and queued ones can be claimed."""
    for statement in (COLUMNS, OLD_ROWS, CONSTRAINTS, *INDEXES.split(";\n")):
        op.execute(statement)


def downgrade() -> None:
    """Undo it, with the data in it."""
    op.execute(UNDO)
