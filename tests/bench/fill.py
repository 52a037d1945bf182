"""Rows in bulk, for drains to start from."""

from __future__ import annotations

from sqlalchemy import Connection, text

# In the order of time, as ids are made
_ID = "CAST(lpad(to_hex(1760000000000 + n), 12, '0') || substr(md5(CAST(random() AS text)), 1, 20) AS uuid)"
_QUEUED = f"""
INSERT INTO control.platform_jobs (id, job_type, queue, payload, created_at, updated_at, available_at)
SELECT {_ID}, :job_type, :queue, jsonb_build_object('report', n, 'note', repeat('x', 60)), born, born, born
FROM (
    SELECT n, now() - interval '1 hour' + n * interval '1 microsecond' AS born FROM generate_series(1, :jobs) AS n
) AS made
"""
_FINISHED = f"""
INSERT INTO control.platform_jobs (id, job_type, queue, payload, status, created_at, updated_at, available_at,
    finished_at, attempts, generation, progress)
SELECT {_ID}, 'nothing', 'default', '{{"report": 1}}', 'succeeded', born, born, born, born, 1, 1, 100
FROM (
    SELECT n, now() - interval '2 days' + n * interval '10 milliseconds' AS born FROM generate_series(1, :jobs) AS n
) AS made
"""
_HISTORY = """
INSERT INTO control.job_attempts (job_id, generation, attempt, worker_id, claimed_at, started_at, finished_at, outcome)
SELECT id, 1, 1, 'before', created_at, created_at, finished_at, 'completed' FROM control.platform_jobs
WHERE status = 'succeeded'
"""


def queued(conn: Connection, jobs: int, *, queue: str = "default", job_type: str = "nothing") -> None:
    """So many due jobs with a payload of about 100 bytes, written as the bulk enqueue writes them."""
    conn.execute(text(_QUEUED), {"jobs": jobs, "queue": queue, "job_type": job_type})


def finished(conn: Connection, jobs: int) -> None:
    """So many jobs that succeeded, each with its attempt."""
    conn.execute(text("SET statement_timeout = 0"))
    conn.execute(text(_FINISHED), {"jobs": jobs})
    conn.execute(text(_HISTORY))
