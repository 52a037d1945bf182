"""What a queue has behind it after a long time: 250,000 jobs, their attempts and steps, and the events before them."""

from __future__ import annotations

from sqlalchemy import Connection, text

FILL = """
INSERT INTO control.platform_jobs (id, job_type, queue, status, created_at, updated_at, available_at, scheduled,
    finished_at, attempts, generation, error_fingerprint, idempotency_key, event_id, event_type, subscriber_id,
    tenant_id)
SELECT gen_random_uuid(), 'type_' || n % 5, 'queue_' || n % 7, state, born, born, born, state = 'queued' AND n % 2 = 0,
    CASE WHEN state NOT IN ('queued', 'running') THEN born END, 1, 1, CASE WHEN state = 'failed' THEN 'g' || n % 9 END,
    'key-' || n, 'event-' || n, 'order.created', 'crm.sync',
    CASE WHEN n % 3 > 0 THEN CAST('00000000-0000-0000-0000-' || lpad(CAST(n / 100 % 50 AS text), 12, '0') AS uuid) END
FROM (
    SELECT n, now() - n * interval '1 second' AS born,
        CASE WHEN n <= 50000 THEN 'queued' WHEN n <= 50100 THEN 'running' WHEN n % 100 = 0 THEN 'failed'
             ELSE 'succeeded' END AS state
    FROM generate_series(1, 250000) AS n
) AS made;
UPDATE control.platform_jobs SET locked_by = 'w-' || generation, locked_at = now(), lease_expires_at = now()
    WHERE status = 'running';
INSERT INTO control.event_outbox (id, event_id, event_type, source, occurred_at, payload, created_at, relayed_at,
    fanout, retry_at)
SELECT gen_random_uuid(), 'event-' || n, 'order.created', 'api', now(), '{}', now() - n * interval '1 second',
    CASE WHEN n > 5000 THEN now() END, CASE WHEN n > 5000 THEN 1 END, CASE WHEN n <= 2000 THEN now() END
FROM generate_series(1, 60000) AS n;
INSERT INTO control.job_attempts (job_id, generation, attempt, worker_id, claimed_at, finished_at, outcome)
SELECT id, 1, 1, 'w-1', created_at, finished_at, 'completed' FROM control.platform_jobs WHERE status = 'succeeded';
INSERT INTO control.job_steps (job_id, generation, ordinal, step, started_at, finished_at, outcome)
SELECT id, 1, ordinal, step, created_at, finished_at, CASE WHEN ordinal = 6 THEN 'skipped' ELSE 'done' END
FROM (SELECT id, created_at, finished_at FROM control.platform_jobs WHERE status = 'succeeded' LIMIT 20000) AS jobs,
    unnest(ARRAY['create_schema', 'run_tenant_migrations', 'grant_app_rw', 'seed_role_profiles',
        'verify_object_storage', 'activate_onboarding']) WITH ORDINALITY AS steps (step, ordinal);
"""
TABLES = ("platform_jobs", "event_outbox", "job_attempts", "job_steps")


def fill(conn: Connection) -> None:
    """Let all of it have happened, the statistics fresh."""
    conn.execute(text("SET statement_timeout = 0"))
    for statement in filter(str.strip, FILL.split(";\n")):
        conn.execute(text(statement))
    for table in TABLES:
        conn.execute(text(f"VACUUM ANALYZE control.{table}"))
