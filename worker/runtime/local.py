"""The one consumer of a process: what `start_job_worker` starts, and all that a database file has room for."""

from __future__ import annotations

from worker.handlers import Registry
from worker.runtime.startup import Readiness
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

COMPONENT = "local-worker"


def local_worker(
    settings: WorkerSettings, registry: Registry, *, url: str, readiness: Readiness | None = None
) -> Worker:
    """It takes all types and queues that the settings leave open, in batches, and runs one job at a time (S2-73)."""
    named = "worker_component" in settings.model_fields_set
    component = settings.worker_component if named else COMPONENT
    serial = settings.model_copy(update={"worker_concurrency": 1, "worker_component": component})
    return Worker(serial, registry, url=url, readiness=readiness, slots=settings.batch_size)
