"""Programs that embed the engine as the documents show it."""

from __future__ import annotations

import signal
import sys
import threading
import time

import structlog

from worker.handlers import Registry
from worker.model import Job
from worker.runtime.hosting import run_job_worker, start_job_worker


def work(_job: Job) -> None:
    """Do what takes no time."""


def stall(_job: Job) -> None:
    """Hold up whatever has to wait for it, longer than anybody looks on."""
    time.sleep(3600)


def known() -> Registry:
    """What this program can run."""
    registry = Registry()
    registry.job_types.register("work", work)
    registry.job_types.register("stall", stall)
    return registry


def main(queues: list[str]) -> None:
    """Be a standalone worker of these queues until SIGTERM, or a program with a worker when none is named."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    if not queues:
        start_job_worker(registry=known())
        stop.wait()
        return
    run_job_worker(
        registry=known(),
        queues=queues,
        role="domain-worker",
        label="-".join(queues),
        metadata={"zone": "eu-1"},
        stop=stop,
    )
