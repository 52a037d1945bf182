"""Other words for the same rows: what the second document's programs read and its operators write (S2-44)."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import DDL
from sqlalchemy.schema import ExecutableDDLElement

_ddl: Callable[[str], ExecutableDDLElement] = DDL

_ROWS = """
SELECT id, queue, event_id, event_type, subscriber_id, source, payload, schema_version, metadata AS job_metadata,
       CASE status WHEN 'queued' THEN 'pending' WHEN 'running' THEN 'claimed' WHEN 'succeeded' THEN 'completed'
                   WHEN 'failed' THEN 'dead_letter' ELSE status END AS status,
       attempts, max_attempts, available_at, locked_by, locked_at, lease_expires_at, error_detail AS last_error,
       created_at, updated_at, finished_at AS completed_at
"""
_WHICH = "WHERE subscriber_id IS NOT NULL"

# SQLite has views that can be written only by saying how; PostgreSQL works it out, and refuses `status` likewise
_WRITTEN = """
CREATE TRIGGER processing_jobs_written INSTEAD OF UPDATE ON processing_jobs
BEGIN
    SELECT RAISE(ABORT, 'cannot update column "status" of view "processing_jobs"') WHERE new.status IS NOT old.status;
    UPDATE platform_jobs
    SET id = new.id, queue = new.queue, event_id = new.event_id, event_type = new.event_type,
        subscriber_id = new.subscriber_id, source = new.source, payload = new.payload,
        schema_version = new.schema_version, metadata = new.job_metadata, attempts = new.attempts,
        max_attempts = new.max_attempts, available_at = new.available_at, locked_by = new.locked_by,
        locked_at = new.locked_at, lease_expires_at = new.lease_expires_at, error_detail = new.last_error,
        created_at = new.created_at, updated_at = new.updated_at, finished_at = new.completed_at
    WHERE id = old.id;
END
"""

PROCESSING_JOBS = (
    _ddl(
        "\nCREATE VIEW control.processing_jobs WITH (security_invoker = true) AS"
        f"{_ROWS}FROM control.platform_jobs {_WHICH}\n"
    ).execute_if(dialect="postgresql"),
    _ddl(f"CREATE VIEW processing_jobs AS{_ROWS}FROM platform_jobs {_WHICH}").execute_if(dialect="sqlite"),
    _ddl(_WRITTEN).execute_if(dialect="sqlite"),
)
"""The view, for each database."""
