"""How the demo is staffed and tuned: quick beats, short leases, and two exports at a time."""

from __future__ import annotations

from typing import Any

from worker.settings import WorkerSettings

MODULE = "app.demo"
DEFAULTS: dict[str, Any] = {
    "environment": "demo",
    "worker_concurrency": 12,
    "heartbeat_interval_seconds": 3,
    "lease_seconds": 30,
    "reaper_interval_seconds": 10,
    "backoff_base_seconds": 2,
    "backoff_max_seconds": 20,
}
"""Settings where the environment says nothing."""

QUEUES = ("background", "crm", "default", "inventory", "mail", "payments", "reports")
EXPORTS = "exports"


def workers(settings: WorkerSettings) -> list[WorkerSettings]:
    """One worker for everything but the exports, whose own can only just keep up; nobody serves `training`."""
    if settings.worker_queues or settings.worker_job_types:
        return [settings]
    exporter = {"worker_component": "exporter", "worker_queues": (EXPORTS,), "worker_concurrency": 2}
    return [settings.model_copy(update={"worker_queues": QUEUES}), settings.model_copy(update=exporter)]
