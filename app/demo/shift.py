"""How the demo is staffed and tuned: three workers, quick beats, short leases."""

from __future__ import annotations

from typing import Any

from worker.model import RUN_SUBSCRIBER
from worker.settings import WorkerSettings

MODULE = "app.demo"
DEFAULTS: dict[str, Any] = {
    "environment": "demo",
    "log_level": "ERROR",  # failing handlers are the show, and its greeting should stay on the screen
    "heartbeat_interval_seconds": 3,
    "lease_seconds": 30,
    "reaper_interval_seconds": 10,
    "backoff_base_seconds": 2,
    "backoff_max_seconds": 20,
}
"""Settings where the environment says nothing."""

STAFF: tuple[dict[str, Any], ...] = (
    {"worker_queues": ("background", "crm", "default", "inventory", "mail", "reports")},
    {
        "worker_component": "billing",
        "worker_job_types": ("charge_card", RUN_SUBSCRIBER),
        "worker_queues": ("payments",),
        "worker_concurrency": 4,
    },
    {
        "worker_component": "exporter",
        "worker_job_types": ("export_ledger",),
        "worker_queues": ("exports",),
        "worker_concurrency": 2,
    },
)
"""One for most things, one for money, and one that can only just keep up; nobody serves `training`."""


def workers(settings: WorkerSettings) -> list[WorkerSettings]:
    """The staff, unless the environment has chosen a worker of its own."""
    if settings.worker_queues or settings.worker_job_types:
        return [settings]
    return [settings.model_copy(update=each) for each in STAFF]
