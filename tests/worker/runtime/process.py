"""A worker in a process of its own, to be ended the hard way: `python -m tests.worker.runtime.process URL`."""

import os
import random
import signal
import sys
import time

import structlog

from tests.worker.runtime.bench import registry
from worker.job_types import Handler
from worker.model import Job
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings


def kill(_job: Job) -> None:
    """Take the whole process down."""
    os.kill(os.getpid(), signal.SIGKILL)


def spin(job: Job) -> None:
    """Compute without ever letting go of the interpreter willingly."""
    ends_at = time.monotonic() + job.payload["seconds"]
    while time.monotonic() < ends_at:
        pass


def some(_job: Job) -> None:
    """Work for a moment, longer or shorter."""
    time.sleep(random.uniform(0, 0.03))


def good(_job: Job) -> None:
    """Succeed."""


HANDLERS: dict[str, Handler] = {"kill": kill, "spin": spin, "some": some, "good": good}


def main(url: str) -> None:
    """Work until SIGTERM; the settings are those of the environment."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: told.append(number))
    worker = Worker(WorkerSettings(_env_file=None), registry(**HANDLERS), url=url)  # type: ignore[call-arg] # pydantic-settings' own argument
    worker.start()
    print(worker.instance.instance_id, flush=True)  # noqa: T201 - the test waits for it
    while not told:
        time.sleep(0.01)
    worker.stop()


if __name__ == "__main__":
    main(sys.argv[1])
