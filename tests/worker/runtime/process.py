"""A worker in a process of its own, to be ended the hard way."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import AbstractContextManager

import structlog
from sqlalchemy import Connection, func, select

from tests.nursery import PATIENCE_SECONDS, Child, child
from tests.worker.runtime.bench import registry, until
from worker.job_types import Handler
from worker.model import Job, Status
from worker.queries.schema import platform_jobs
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

PACE = {"POLL_INTERVAL_SECONDS": "0.1", "REAPER_INTERVAL_SECONDS": "0.1"}
"""Leases are as long as they are by default: a test that needs the end of one makes it end."""


def kill(_job: Job) -> None:
    """Take the whole process down."""
    os.kill(os.getpid(), signal.SIGKILL)


def spin(job: Job) -> None:
    """Say so and compute, without ever letting go of the interpreter willingly."""
    say("spinning")
    ends_at = time.monotonic() + job.payload["seconds"]
    while time.monotonic() < ends_at:
        pass


def stall(job: Job) -> None:
    """Never end at the first attempt, and succeed at the next."""
    time.sleep(3600 if job.attempts == 1 else 0)


def some(_job: Job) -> None:
    """Work for a moment, longer or shorter."""
    time.sleep(random.uniform(0, 0.03))


def good(_job: Job) -> None:
    """Succeed."""


HANDLERS: dict[str, Handler] = {"kill": kill, "spin": spin, "stall": stall, "some": some, "good": good}


def work(arguments: list[str]) -> None:
    """Work on the database at that address until SIGTERM; the settings are those of the environment."""
    (url,) = arguments
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: told.append(number))
    worker = Worker(WorkerSettings(_env_file=None), registry(**HANDLERS), url=url)  # type: ignore[call-arg] # pydantic-settings' own argument
    worker.start()
    say(worker.instance.instance_id)
    while not told:
        time.sleep(0.01)
    worker.stop()


def say(word: str) -> None:
    """A line, at once, for the test that waits for it."""
    os.write(sys.stdout.fileno(), f"{word}\n".encode())


def worker_process(url: str, **settings: str) -> AbstractContextManager[Child]:
    """A worker with these handlers and settings, alive at most as long as the block; it says its instance's id."""
    named = {f"WATCHFLOOR_{name}": value for name, value in (PACE | settings).items()}
    return child(work, url, environment=named)


def end_leases(conn: Connection) -> None:
    """Let what nobody is left to renew end now instead of in minutes."""
    held = platform_jobs.update().where(platform_jobs.c.status == Status.RUNNING)
    conn.execute(held.values(lease_expires_at=platform_jobs.c.locked_at))


def unfinished(conn: Connection) -> int:
    """How many jobs are not over."""
    open_ = select(func.count()).where(platform_jobs.c.status.in_((Status.QUEUED, Status.RUNNING)))
    return int(conn.execute(open_).scalar_one())


def outlive(url: str, conn: Connection) -> int:
    """One worker after the other until no job is left to do; how many of them were killed by what they ran."""
    kills = 0
    while unfinished(conn):
        kills += _work_until_the_end(url, conn)
        end_leases(conn)
    return kills


def _work_until_the_end(url: str, conn: Connection) -> bool:
    with worker_process(url) as worker:
        until(lambda: worker.poll() is not None or not unfinished(conn), PATIENCE_SECONDS)
        return worker.poll() == -signal.SIGKILL
