"""What the tests of whole workers share."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Pool

from tests.worker.runtime.bench import PATIENCE_SECONDS, Start, quick, registry
from worker.job_types import Handler
from worker.runtime.executor import Executor
from worker.runtime.loop import stop_all
from worker.runtime.worker import Worker


@pytest.fixture
def engine(app_rw: Engine) -> Engine:
    """The database as workers and the maintenance may use it, who need no more for anything they do."""
    return app_rw


@pytest.fixture
def conn(engine: Engine, migrated: Engine) -> Iterator[Connection]:
    """A connection of somebody who may do anything, for what a test needs to be there, or to go wrong."""
    assert engine.url.database == migrated.url.database
    with migrated.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        yield conn


@pytest.fixture
def start(url: str) -> Iterator[Start]:
    """Starts workers with these settings and handlers; those that still run are stopped afterwards."""
    running: list[tuple[Worker, Pool]] = []

    def start(values: dict[str, Any] | None = None, slots: int | None = None, **handlers: Handler) -> Worker:
        worker = Worker(quick(**values or {}), registry(**handlers), url=url, slots=slots)
        running.append((worker, worker._engine.pool))
        worker.start()
        return worker

    yield start
    for worker, connections in running:
        worker.stop(0.1)
        assert stop_all(worker._loops, PATIENCE_SECONDS)  # a stop in haste does not wait for them
        connections.dispose()


@pytest.fixture
def started() -> Iterator[list[Executor]]:
    """Executors to be stopped when the test is over."""
    executors: list[Executor] = []
    yield executors
    for executor in executors:
        executor.stop()
