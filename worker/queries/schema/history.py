"""What became of each job: its attempts, and the steps within them."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, SmallInteger, Table, Text

from worker.database import Id, Timestamp, bounded
from worker.queries.schema.base import limit, metadata
from worker.queries.schema.jobs import platform_jobs

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
    limit("error", 4000),
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
    limit("error", 4000),
)
# What a step usually takes is read from its last finished runs, however many there ever were
Index("ix_job_steps_done", job_steps.c.step, job_steps.c.finished_at.desc(), **bounded("outcome = 'done'"))
