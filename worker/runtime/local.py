"""The one consumer of a process: what `start_job_worker` starts, and all that a database file has room for."""

from __future__ import annotations

from worker.handlers import Registry
from worker.runtime.readiness import Readiness
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

DEFAULTS = {"worker_component": "local-worker"}
"""Settings where the environment says nothing."""


def local_worker(
    settings: WorkerSettings, registry: Registry, *, url: str, readiness: Readiness | None = None
) -> Worker:
    """It takes all types and queues that the settings leave open, in batches, and runs one job at a time (S2-73)."""
    defaults = {name: value for name, value in DEFAULTS.items() if name not in settings.model_fields_set}
    serial = settings.model_copy(update={**defaults, "worker_concurrency": 1})
    return Worker(serial, registry, url=url, readiness=readiness, slots=settings.batch_size)
