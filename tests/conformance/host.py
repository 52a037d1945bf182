"""A program that embeds the engine as the documents show it: `python -m tests.conformance.host QUEUE…`."""

from __future__ import annotations

import signal
import sys
import threading
import time

import structlog

from worker.handlers import Registry
from worker.model import Job
from worker.runtime.hosting import run_job_worker


def work(_job: Job) -> None:
    """Do what takes no time."""


def stall(_job: Job) -> None:
    """Hold up whatever has to wait for it."""
    time.sleep(3)


def known() -> Registry:
    """What this program can run."""
    registry = Registry()
    registry.job_types.register("work", work)
    registry.job_types.register("stall", stall)
    return registry


def main(queues: list[str]) -> None:
    """Be a worker of these queues until SIGTERM; the rest is the environment's to say."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    run_job_worker(
        registry=known(),
        queues=queues,
        role="domain-worker",
        label="-".join(queues),
        metadata={"zone": "eu-1"},
        stop=stop,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
