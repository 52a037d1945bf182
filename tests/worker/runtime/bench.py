"""A worker taken apart: the same parts as in `worker.runtime.worker`, without threads, for tests that call `tick()`."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import Connection, Engine, func, select, text
from structlog.testing import LogCapture
from structlog.typing import FilteringBoundLogger

from tests.factories import stored
from worker.database import autocommit, connect
from worker.handlers import Registry
from worker.job_types import Handler
from worker.model import Job, Status, new_id
from worker.queries import wakeups
from worker.queries.jobs import NewJob, enqueue
from worker.queries.schema import platform_jobs
from worker.queries.workers import Instance
from worker.runtime.completer import Completer
from worker.runtime.dispatcher import Dispatcher
from worker.runtime.executor import Executor
from worker.runtime.fence import Fence
from worker.runtime.heartbeat import Heartbeat
from worker.runtime.held import Held, Run
from worker.runtime.judge import Judge
from worker.runtime.legacy import LegacyJobs
from worker.runtime.quarantine import Quarantine
from worker.runtime.sleeper import Sleeper
from worker.runtime.startup import new_instance
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings


def settings(**values: Any) -> WorkerSettings:
    """The defaults and these values, whatever the environment says."""
    return WorkerSettings(_env_file=None, **values)  # type: ignore[call-arg] # pydantic-settings' own argument


PATIENCE_SECONDS = 30
"""How long a test waits for what will come: nobody waits in vain, so a busy machine may take its time."""


def quick(**values: Any) -> WorkerSettings:
    """Intervals for tests with real threads; leases last longer than any test, unless it is about their end."""
    pace = {"lease_seconds": 60, "heartbeat_interval_seconds": 0.5, "max_runtime_seconds": 60}
    pace |= {"poll_interval_seconds": 0.2, "reaper_interval_seconds": 0.2, "relay_interval_seconds": 0.2}
    return settings(**pace | values)


def registry(**handlers: Handler) -> Registry:
    """A registry whose job types are named as the handlers are."""
    known = Registry()
    for name, handler in handlers.items():
        known.job_types.register(name, handler)
    return known


Start = Callable[..., Worker]
"""The fixture `start`: a running worker with these settings, slots and handlers."""


class Gate:
    """A handler that says when it began, and runs until it is let go."""

    def __init__(self) -> None:
        self.entered = Event()
        self.free = Event()

    def await_entry(self) -> None:
        """Return once the handler has begun."""
        assert self.entered.wait(PATIENCE_SECONDS)

    def __call__(self, _job: Job) -> None:
        self.entered.set()
        self.free.wait(2 * PATIENCE_SECONDS)


def claim_of(job_type: str = "render_report", **fields: Any) -> Run:
    """A claim that was never in any database."""
    now = datetime.now(UTC)
    values: dict[str, Any] = {
        "id": new_id(),
        "queue": "default",
        "payload_text": "{}",
        "attempts": 1,
        "max_attempts": 5,
    }
    values |= {"generation": 1, "locked_at": now, "created_at": now, "available_at": now}
    return Run(Job(job_type=job_type, **values | fields), renewed_at=time.monotonic())


def captured() -> tuple[FilteringBoundLogger, LogCapture]:
    """A log of its own and what was written to it."""
    capture = LogCapture()
    wrapper = structlog.make_filtering_bound_logger(logging.DEBUG)
    return structlog.wrap_logger(None, processors=[capture], wrapper_class=wrapper), capture


def until(condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for what other threads or processes will bring about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen within {seconds} s"
        time.sleep(0.005)


class Bench:
    """One worker's parts on a database."""

    def __init__(self, engine: Engine, known: Registry, *, slots: int = 8, **values: Any) -> None:
        self.engine = engine
        self.registry = known
        self.settings = settings(**values)
        self.instance = new_instance(self.settings, known.capabilities())
        self.me = self.instance.instance_id
        self.log, self._capture = captured()
        self.work, self.endings = Event(), Event()
        self.held = Held(slots, threads=2)
        self.submitted: list[Run] = []
        self.completer = Completer(
            engine,
            self.held,
            instance_id=self.me,
            lease_seconds=self.settings.lease_seconds,
            bell=self.endings,
            freed=self.work,
            log=self.log,
        )
        self.executor = Executor(known, self.held, Judge(known, self.settings), self.completer, threads=2)
        self.dispatcher = self.dispatcher_of(self.instance)
        self.heartbeat = Heartbeat(
            engine, self.held, instance=self.instance, lease_seconds=self.settings.lease_seconds, log=self.log
        )
        self.fence = Fence(self.held, self.completer, settings=self.settings, log=self.log)

    def dispatcher_of(self, instance: Instance) -> Dispatcher:
        """What claims for this instance."""
        return Dispatcher(
            self.engine,
            self.held,
            self.executor,
            sleeper=Sleeper(self.engine, channel=wakeups.JOBS, name=self.me),
            quarantine=Quarantine(self.held, self.submitted.append, seconds=10, log=self.log),
            legacy=LegacyJobs(self.engine, self.registry.subscribers, instance.queues, self.log),
            registry=self.registry,
            instance=instance,
            settings=self.settings,
            log=self.log,
        )

    def enqueue(self, job_type: str, **fields: Any) -> UUID:
        """A job that is due."""
        with self.engine.begin() as conn:
            return enqueue(conn, self.registry.job_types, NewJob(job_type, **fields)).id

    def claim(self) -> list[Run]:
        """What one tick of the dispatcher took."""
        before = {run.job.claim for run in self.held.all()}
        self.dispatcher.tick()
        return [run for run in self.held.all() if run.job.claim not in before]

    def run(self, *runs: Run) -> None:
        """Call these handlers here and now, and write what they came to."""
        for run in runs:
            self.executor.run(run)
        self.completer.tick()

    def said(self, event: str) -> list[dict[str, Any]]:
        """What was logged under this name."""
        return [dict(entry) for entry in self._capture.entries if entry["event"] == event]


def put(engine: Engine, *names: str, **fields: Any) -> list[UUID]:
    """One due job of each of these types."""
    known = registry(**dict.fromkeys(names, nothing)).job_types
    with engine.begin() as conn:
        return [enqueue(conn, known, NewJob(name, **fields)).id for name in names]


def nothing(_job: Job) -> None:
    """A handler that succeeds."""


def status(engine: Engine, job_id: UUID) -> str:
    """What the job's row says now."""
    with engine.connect() as conn:
        return str(stored(conn, job_id).status)


def in_status(engine: Engine, wanted: Status) -> int:
    """How many jobs are in that state now."""
    with engine.connect() as conn:
        counted = select(func.count()).where(platform_jobs.c.status == wanted)
        return int(conn.execute(counted).scalar_one())


@contextmanager
def outage(engine: Engine) -> Iterator[None]:
    """Nobody reaches the database, and everybody's connection to it is gone."""
    name = engine.url.database
    with administrator(engine) as conn:
        conn.execute(text(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false"))
        conn.execute(
            text("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = :name"), {"name": name}
        )
        try:
            yield
        finally:
            conn.execute(text(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true"))
            engine.dispose()


@contextmanager
def read_only(engine: Engine) -> Iterator[None]:
    """The server refuses writes, as an old primary does after a fail-over; sessions stay (A-16)."""
    with administrator(engine) as conn:
        conn.execute(text("ALTER SYSTEM SET default_transaction_read_only = on"))
        conn.execute(text("SELECT pg_reload_conf()"))
        try:
            yield
        finally:
            conn.execute(text("ALTER SYSTEM RESET default_transaction_read_only"))
            conn.execute(text("SELECT pg_reload_conf()"))
            until(lambda: conn.execute(text("SHOW default_transaction_read_only")).scalar_one() == "off")
    engine.dispose()


@contextmanager
def administrator(engine: Engine) -> Iterator[Connection]:
    """A connection of the server's superuser, to another database than the one that is worked on."""
    url = engine.url.set(username="postgres", database="postgres").render_as_string(hide_password=False)
    there = connect(url, application_name="administrator")
    with autocommit(there).connect() as conn:
        yield conn
    there.dispose()
