"""One worker process of a measurement: `python -m tests.bench.work URL KIND`; from a line on stdin to the next."""

from __future__ import annotations

import json
import logging
import resource
import sys
import time

import click
import structlog

from app.processes import leave_in_peace
from worker.handlers import Registry
from worker.model import Job
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

BEST = {"worker_concurrency": 1000, "batch_size": 500}
"""Of what was tried, the settings that drain no-op jobs fastest."""
KINDS = ("async", "def")
waited_ms: list[float] = []
"""From each job's enqueue, where its payload tells the time of that, until its handler began."""


def nothing(job: Job) -> None:
    """A handler on a thread."""
    _note(job)


async def nothing_async(job: Job) -> None:
    """A handler on the event loop."""
    _note(job)


def main(url: str, kind: str) -> None:
    """Say when ready, begin when told; then account for the processor time used and the waits noted."""
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    registry = Registry()
    registry.job_types.register("nothing", nothing if kind == "def" else nothing_async)
    worker = Worker(WorkerSettings(_env_file=None, **BEST), registry, url=url)  # type: ignore[call-arg, arg-type] # pydantic-settings' own argument
    leave_in_peace()
    click.echo("ready")
    sys.stdin.readline()
    before = _processor_seconds()
    worker.start()
    sys.stdin.readline()
    click.echo(json.dumps({"processor_seconds": _processor_seconds() - before, "waited_ms": waited_ms}))
    worker.stop()


def _note(job: Job) -> None:
    if '"sent"' in job.payload_text:
        waited_ms.append((time.time() - job.payload["sent"]) * 1000)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
