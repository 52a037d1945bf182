"""The span that asked for a job or an event is kept with it, so that a trace goes on where the job runs."""

import sqlalchemy as sa
from alembic import op

from worker.database import schema_of

revision = "20261130_c026"
down_revision = "20261130_c025"
branch_labels = None
depends_on = None

TABLES = ("platform_jobs", "event_outbox")
DROP = """
DROP FUNCTION control.enqueue_job(
    text, jsonb, uuid, text, text, integer, timestamptz, text, jsonb, interval, boolean
)
"""

# Refused here rather than by the constraints, whose violation would print the row in the server's log
ENQUEUE = r"""
CREATE FUNCTION control.enqueue_job(
    job_type text,
    payload jsonb DEFAULT '{}',
    tenant_id uuid DEFAULT NULL,
    queue text DEFAULT 'default',
    idempotency_key text DEFAULT NULL,
    max_attempts integer DEFAULT 5,
    available_at timestamptz DEFAULT NULL,
    source text DEFAULT 'sql',
    metadata jsonb DEFAULT NULL,
    delay interval DEFAULT '0',
    retry_terminal boolean DEFAULT false,
    traceparent text DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    blank constant text := E' \t\n\r\f\v';
    plain constant text := '^[a-z0-9][a-z0-9._-]*$';
    -- As W3C writes it; anything else counts as none, for no work is refused because of a trace
    span constant text := '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$';
    label constant text := btrim(enqueue_job.source, blank);
    key constant text := btrim(enqueue_job.idempotency_key, blank);
    fingerprint constant text := encode(sha256(convert_to(enqueue_job.job_type || ' ' || payload, 'UTF8')), 'hex');
    due constant timestamptz := coalesce(enqueue_job.available_at, statement_timestamp() + delay);
    problem constant text := CASE
        WHEN job_type = 'run_subscriber' THEN 'job_type: run_subscriber is written by the relay alone'
        WHEN (job_type ~ plain AND length(job_type) <= 100) IS NOT TRUE THEN 'job_type: must be a name'
        WHEN payload IS NULL THEN 'payload: is not a document'
        WHEN octet_length(CAST(payload AS text)) > 1048576 THEN 'payload: is larger than 1,048,576 bytes'
        WHEN jsonb_path_exists(payload, 'strict $.**{65}') THEN 'payload: is nested deeper than 64 levels'
        WHEN octet_length(CAST(metadata AS text)) > 1048576 THEN 'metadata: is larger than 1,048,576 bytes'
        WHEN jsonb_path_exists(metadata, 'strict $.**{65}') THEN 'metadata: is nested deeper than 64 levels'
        WHEN job_type = 'send_email' AND (payload ->> 'schema' = 'watchfloor.email.v1'
                AND jsonb_typeof(payload -> 'ciphertext') = 'string'
                AND payload - ARRAY['schema', 'ciphertext'] = '{}'::jsonb) IS NOT TRUE
            THEN 'payload: send_email takes only the encrypted envelope'
        WHEN job_type = 'provision_tenant' AND tenant_id IS NULL THEN 'tenant_id: provision_tenant needs one'
        WHEN (queue ~ plain AND length(queue) <= 100) IS NOT TRUE
            THEN 'queue: queue names are 1 to 100 of a-z 0-9 . _ - and start with a letter or digit'
        WHEN idempotency_key IS NOT NULL AND length(key) NOT BETWEEN 1 AND 255
            THEN 'idempotency_key: must be 1 to 255 characters'
        WHEN max_attempts BETWEEN 1 AND 1000 IS NOT TRUE THEN 'max_attempts: must be a whole number from 1 to 1000'
        WHEN length(source) <= 50 IS NOT TRUE THEN 'source: is longer than 50 characters'
        WHEN delay BETWEEN '0' AND '366 days' IS NOT TRUE THEN 'delay: must be from 0 to a year'
    END;
    answer uuid;
    made uuid;
    known record;
BEGIN
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION '%', problem USING ERRCODE = '22023';
    END IF;
    INSERT INTO control.platform_jobs AS j (id, tenant_id, job_type, queue, payload, metadata, idempotency_key,
            idempotency_fingerprint, max_attempts, available_at, scheduled, source, created_at, updated_at,
            traceparent)
    VALUES (gen_random_uuid(), enqueue_job.tenant_id, enqueue_job.job_type, enqueue_job.queue, enqueue_job.payload,
            enqueue_job.metadata, key, CASE WHEN key IS NOT NULL THEN fingerprint END,
            enqueue_job.max_attempts, due, due > statement_timestamp(), label,
            statement_timestamp(), statement_timestamp(),
            CASE WHEN enqueue_job.traceparent ~ span THEN enqueue_job.traceparent END)
    ON CONFLICT DO NOTHING RETURNING j.id INTO made;
    answer := made;
    IF made IS NULL THEN
        SELECT j.id, j.job_type, j.idempotency_fingerprint AS body INTO STRICT known FROM control.platform_jobs j
        WHERE coalesce(CAST(j.tenant_id AS text), '') = coalesce(CAST(enqueue_job.tenant_id AS text), '')
            AND j.idempotency_key = key;
        IF known.job_type <> enqueue_job.job_type OR known.body <> fingerprint THEN
            RAISE EXCEPTION 'idempotency_key: belongs to a request with another job type or payload'
                USING ERRCODE = '23505';
        END IF;
        answer := known.id;
        UPDATE control.platform_jobs j SET status = 'queued', attempts = 0, replays = j.replays + 1,
            available_at = statement_timestamp(), scheduled = false, cancel_requested_at = NULL, finished_at = NULL,
            error_detail = NULL, error_type = NULL, error_summary = NULL, error_fingerprint = NULL,
            error_alike = NULL, error_rule = NULL, updated_at = statement_timestamp()
        WHERE retry_terminal AND j.id = known.id AND j.status IN ('failed', 'cancelled')
        RETURNING j.id INTO made;
    END IF;
    IF made IS NOT NULL THEN
        PERFORM pg_notify('watchfloor_jobs', '')
            WHERE EXISTS (SELECT FROM control.sleepers s WHERE s.channel = 'watchfloor_jobs');
    END IF;
    RETURN answer;
END
$$
"""


def upgrade() -> None:
    """Add the columns, null in all that is there, and exchange the function; a file has none."""
    schema = schema_of(op.get_bind())
    for table in TABLES:
        op.add_column(table, sa.Column("traceparent", sa.Text), schema=schema)
    if schema is not None:
        op.execute(DROP)
        op.execute(ENQUEUE)


def downgrade() -> None:
    """Drop the columns, and put the function back that knows of none."""
    schema = schema_of(op.get_bind())
    if schema is not None:
        op.execute("DROP FUNCTION control.enqueue_job")
        op.execute(op.get_context().opts["script"].get_revision("20261129_c010").module.ENQUEUE)
    for table in TABLES:
        op.drop_column(table, "traceparent", schema=schema)
