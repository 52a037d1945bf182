"""For a program that embeds the engine: a worker beside its own threads or in a process, and the maintenance.

In one process, which is all that a SQLite database serves: `start_job_worker()`, `schedule_job_maintenance(scheduler)`.
In several: `WATCHFLOOR_JOB_WORKER_MODE=standalone` in all of them, `schedule_job_maintenance(scheduler)` in those that
serve requests, `run_job_worker(stop=stop)` or `asyncio.run(run_job_worker_async())` in those that do nothing else.

What cannot be is refused before anything starts, in this order: the mode, the database, the times, job types, queues,
what the worker says of itself, and what one of its types would need. The first two are RuntimeErrors, values are
ValueErrors, all are ConfigurationErrors that name the setting.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from typing import Any

from worker import topology
from worker.errors import TopologyRefused
from worker.handlers import Registry, configured
from worker.runtime.in_process import InProcessWorkers, JobWorker
from worker.runtime.local import local_worker
from worker.runtime.observer import Look
from worker.runtime.readiness import Readiness
from worker.runtime.scheduled import ScheduledMaintenance, Scheduler, schedule
from worker.runtime.worker import Worker
from worker.settings import Mode, WorkerSettings, names

__all__ = (
    "JobWorker",
    "ScheduledMaintenance",
    "run_job_worker",
    "run_job_worker_async",
    "schedule_job_maintenance",
    "start_job_worker",
)

_LOOK_EVERY_SECONDS = 0.1
_HERE = InProcessWorkers()
"""One worker of a database is a rule for the process, so it is kept where the process has one place (S2-75)."""


def start_job_worker(
    settings: WorkerSettings | None = None,
    registry: Registry | None = None,
    *,
    role: str | None = None,
    label: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    readiness: Readiness | None = None,
) -> JobWorker:
    """Start this process's worker on a thread of its own; where one runs already, that one is the answer (S2-71).

    It takes every job type and queue that the settings leave open, one job at a time, and begins each batch at the
    queue after the last one (S2-73, S2-74). Without settings the environment counts, without a registry its handlers.
    """
    known = _described(settings or WorkerSettings(), role=role, label=label, metadata=metadata)

    def new() -> Worker:
        url = _allowed(known, "in_process", starts="start_job_worker")
        return local_worker(known, registry or configured(known), url=url, readiness=readiness)

    address = known.database_url.get_secret_value() if known.database_url else None
    return _HERE.worker(address, new)


def run_job_worker(
    settings: WorkerSettings | None = None,
    registry: Registry | None = None,
    *,
    component: str | None = None,
    job_types: Iterable[str] | None = None,
    queues: Iterable[str] | None = None,
    role: str | None = None,
    label: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    stop: Event | None = None,
    readiness: Readiness | None = None,
) -> None:
    """Be a standalone worker until `stop` is set or an operator drains it; then nothing is held any more (S2-83).

    The process is its own: the call blocks, on no event loop's thread. What is not given is as the settings say, which
    without any is as the environment says. Signals are the host's, and may set `stop` (S2-86).
    """
    known = _described(settings or WorkerSettings(), component=component, role=role, label=label, metadata=metadata)
    known = known.model_copy(update=_given(worker_job_types=names(job_types), worker_queues=names(queues)))
    url = _allowed(known, "standalone", starts="run_job_worker")
    _require_no_event_loop()
    worker = Worker(known, registry or configured(known), url=url, readiness=readiness)
    worker.start()
    try:
        # `stop` is only looked at: a signal's handler that sets it must not find its lock held by this thread
        while not (worker.drained or (stop and stop.is_set())):
            time.sleep(_LOOK_EVERY_SECONDS)
    finally:
        worker.stop()


async def run_job_worker_async(settings: WorkerSettings | None = None, registry: Registry | None = None) -> None:
    """Be a standalone worker, as the environment says, on a thread beside the event loop; for `asyncio.run` (S1-54).

    SIGTERM and cancellation both end it cleanly.
    """
    stop = Event()
    with _on_sigterm(stop.set):
        working = asyncio.ensure_future(asyncio.to_thread(run_job_worker, settings, registry, stop=stop))
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            stop.set()
            await working
            raise


def schedule_job_maintenance(
    scheduler: Scheduler,
    settings: WorkerSettings | None = None,
    registry: Registry | None = None,
    *,
    look: Look | None = None,
) -> ScheduledMaintenance:
    """Give relay, reaper, pruner and the nets' backfills to a host's APScheduler; any process may do it (S2-72, S2-80).

    With `worker.queries.pages.looks.look` it also looks at everything once a minute, for the charts of a console and
    what it would have told.

    They are plain interval jobs, never two of one at once. A second call replaces those of the first. The jobs hold
    connections, so they belong in the scheduler's memory, not in a job store that writes them down.
    """
    known = settings or WorkerSettings()
    topology.require_shareable(known, starts="schedule_job_maintenance")
    topology.require_timing(known)
    return schedule(scheduler, known, registry or configured(known), url=topology.address(known), look=look)


def _allowed(settings: WorkerSettings, mode: Mode, *, starts: str) -> str:
    """The database's address, once the deployment's shape and times allow the start."""
    topology.require_mode(settings, mode, starts=starts)
    topology.require_shareable(settings, starts=starts)
    topology.require_timing(settings)
    return topology.owner_address(settings)


def _described(settings: WorkerSettings, **values: Any) -> WorkerSettings:
    return settings.model_copy(update=_given(**{f"worker_{name}": value for name, value in values.items()}))


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _require_no_event_loop() -> None:
    """TopologyRefused on an event loop's thread, which the call would hold up (S2-84)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise TopologyRefused("run_job_worker blocks: await run_job_worker_async() where an event loop runs")


@contextmanager
def _on_sigterm(act: Callable[[], None]) -> Iterator[None]:
    """Act on the signal while the block runs; outside the main thread signals are somebody else's."""
    is_ours = current_thread() is main_thread()
    loop = asyncio.get_running_loop()
    if is_ours:
        loop.add_signal_handler(signal.SIGTERM, act)
    try:
        yield
    finally:
        if is_ours:
            loop.remove_signal_handler(signal.SIGTERM)
