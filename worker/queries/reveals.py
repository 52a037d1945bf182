"""Reveals: that somebody was shown what a handler closes to the eye."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection

from worker.queries import audit
from worker.queries.audit import Actor


def record(
    conn: Connection,
    *,
    job_id: UUID,
    tenant_id: UUID | None,
    actor: Actor,
    reason: str | None,
    now: datetime | None = None,
) -> None:
    """Keep who was shown the payload of a job, and why, in the transaction that shows it."""
    audit.record(conn, actor=actor, action="reveal", job_ids=[job_id], tenant_id=tenant_id, reason=reason, now=now)
