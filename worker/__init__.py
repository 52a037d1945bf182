"""The engine: a durable job queue in PostgreSQL, and the workers that run it."""

from worker.errors import JobCancelled
from worker.model import Event, Job
from worker.queries.jobs import NewJob, enqueue, enqueue_many
from worker.queries.outbox import publish
from worker.signals import cancel_requested, lease_lost

__all__ = (
    "Event",
    "Job",
    "JobCancelled",
    "NewJob",
    "cancel_requested",
    "enqueue",
    "enqueue_many",
    "lease_lost",
    "publish",
)
