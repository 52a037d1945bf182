"""Provisioners that kill themselves where they are told, in processes of their own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, get_ident
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import Engine, event

from tests.nursery import PATIENCE_SECONDS
from tests.worker.provisioning.rig import claimed, deployment
from tests.worker.runtime.bench import quick
from worker.database import connect, is_file
from worker.deployment import Deployment
from worker.handlers import Registry
from worker.job_types import PROVISION_JOB_TYPE
from worker.model import Job
from worker.object_storage import ObjectStorage
from worker.provisioning import steps
from worker.provisioning.strategies import strategy_for
from worker.runtime.local import local_worker
from worker.runtime.worker import Worker


def die() -> None:
    """At once, without a word to anybody."""
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal:
    """The handler of a deployment, that dies at one point of one step.

    `begun` is after it was recorded that the step begins, `inside` before its work is committed, `done` after that,
    `recorded` after the record that it is done.
    """

    def __init__(self, here: Deployment, point: str) -> None:
        self._here = here
        self._point = point
        self._step = ""
        self._works = False
        self._thread = 0
        self.ended = Event()

    def __call__(self, job: Job) -> None:
        """The same as the product's, with death about."""
        assert job.tenant_id
        with self._here.engine() as engine, self._here.owner_engine() as owner:
            self._thread = get_ident()
            event.listen(Engine, "commit", self._inside)
            event.listen(owner, "before_cursor_execute", self._next)
            strategy = strategy_for(job.tenant_id, engine=engine, owner=owner, storage=self._storage)
            steps.run(job, owner, {step: self._mortal(step, take) for step, take in strategy.steps().items()})
            self._reach("recorded")
        self.ended.set()

    def _mortal(self, step: str, take: Callable[[], None]) -> Callable[[], None]:
        def taken() -> None:
            self._step, self._works = step, True
            self._reach("begun")
            take()
            self._works = False
            self._reach("done")

        return taken

    def _storage(self) -> ObjectStorage:
        return Watched(self._here.storage(), self._inside)

    def _inside(self, *_: Any) -> None:
        if self._works and self._thread == get_ident():
            self._reach("inside")

    def _next(self, _conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO") and "job_steps" in statement:  # that the next one begins
            self._reach("recorded")

    def _reach(self, place: str) -> None:
        if f"{self._step} {place}" == self._point:
            die()


class Watched:
    """A storage that says when what was written is about to be read."""

    def __init__(self, storage: ObjectStorage, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._storage = storage
        self.put, self.delete = storage.put, storage.delete

    def get(self, key: str) -> bytes:
        """Read it, if still alive."""
        self._tell()
        return self._storage.get(key)


def work(arguments: list[str]) -> None:
    """Be a worker until the job is over, or a point is reached."""
    url, folder, *point = arguments
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    mortal = Mortal(deployment(url, Path(folder)), " ".join(point))
    registry = Registry()
    registry.job_types.register(PROVISION_JOB_TYPE, mortal)
    worker = (local_worker if is_file(url) else Worker)(quick(), registry, url=url)
    worker.start()
    mortal.ended.wait(PATIENCE_SECONDS)
    worker.stop()


def take(arguments: list[str]) -> None:
    """Be the handler of one claim, up to a statement or commit."""
    url, folder, number, job_id = arguments
    left = int(number)
    engine = connect(url, application_name="mortal")
    job = claimed(engine, UUID(job_id))
    engine.dispose()

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            die()

    for name in ("before_cursor_execute", "commit"):
        event.listen(Engine, name, count)
    Mortal(deployment(url, Path(folder)), "")(job)
