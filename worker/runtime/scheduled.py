"""The duties as jobs of a host's APScheduler instead of threads of our own (S2-72)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import structlog
from structlog.typing import FilteringBoundLogger

from worker.database import Engine, connect, retire
from worker.failures import describe
from worker.handlers import Registry
from worker.runtime.duties import Duty, duties
from worker.runtime.observer import Look
from worker.settings import WorkerSettings

_BATCHES_A_PASS = 100


class Scheduler(Protocol):
    """What is asked of a host's scheduler; APScheduler 3 has it."""

    def add_job(self, func: Callable[..., Any], trigger: str, **options: Any) -> Any:
        """Call it again and again."""


@dataclass(frozen=True, slots=True)
class ScheduledMaintenance:
    """The duties' own connections; the scheduler has all the rest."""

    engine: Engine

    def close(self) -> None:
        """Give the connections back, once the scheduler is shut down."""
        retire(self.engine)


def schedule(
    scheduler: Scheduler, settings: WorkerSettings, registry: Registry, *, url: str, look: Look | None = None
) -> ScheduledMaintenance:
    """Add each duty as an interval job that never runs beside itself and makes up for missed turns once."""
    engine = connect(url, application_name="watchfloor maintenance", pool_size=4)
    log = structlog.get_logger().bind(duty="maintenance")
    for duty in duties(engine, settings, registry, log, look=look):
        scheduler.add_job(
            run_pass,
            "interval",
            args=(duty, log),
            seconds=duty.interval_seconds,
            id=f"watchfloor-{duty.name.replace(' ', '-')}",
            name=f"watchfloor {duty.name}",
            next_run_time=datetime.now(UTC),
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
            replace_existing=True,
        )
    return ScheduledMaintenance(engine)


def run_pass(duty: Duty, log: FilteringBoundLogger) -> None:
    """Batches until there are no more, a hundred at most; a failure is logged, and the next pass is another chance."""
    try:
        for _ in range(_BATCHES_A_PASS):
            if not duty.tick():
                return
    except Exception as error:  # noqa: BLE001 - the scheduler is the host's, and would tell it in its own way
        log.error("duty.failed", duty=duty.name, error=describe(error, handler_key=duty.name).detail)
