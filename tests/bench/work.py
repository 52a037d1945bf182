"""One worker process of a measurement: `python -m tests.bench.work URL KIND`; works from a line on stdin to its end."""

from __future__ import annotations

import logging
import resource
import sys

import structlog

from worker.handlers import Registry
from worker.model import Job
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

BEST = {"worker_concurrency": 250, "batch_size": 250}
"""Of what was tried, the settings that drain no-op jobs fastest."""


def nothing(_job: Job) -> None:
    """A handler on a thread."""


async def nothing_async(_job: Job) -> None:
    """A handler on the event loop."""


def main(url: str, kind: str) -> None:
    """Say when ready, begin when told, and account for the processor time used."""
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    registry = Registry()
    registry.job_types.register("nothing", nothing if kind == "def" else nothing_async)
    worker = Worker(WorkerSettings(_env_file=None, **BEST), registry, url=url)  # type: ignore[call-arg, arg-type] # pydantic-settings' own argument
    print("ready", flush=True)
    sys.stdin.readline()
    before = _processor_seconds()
    worker.start()
    sys.stdin.readline()
    print(_processor_seconds() - before, flush=True)
    worker.stop()


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
