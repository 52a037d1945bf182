"""Hosts of the engine, as processes and in this one, and what they do to the queue."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select

from tests.conformance import host
from tests.nursery import Child, child
from worker import NewJob, enqueue
from worker.handlers import Registry
from worker.queries.schema import worker_instances

FILE = "sqlite:///queue.db"
"""Where nothing is that gets as far as to look."""


def process(url: str, *queues: str) -> AbstractContextManager[Child]:
    """A host's process, alive at most as long as the block: a worker of these queues, or a program that has one."""
    environment = {"DATABASE_URL": url, "WATCHFLOOR_JOB_WORKER_MODE": "standalone" if queues else "in_process"}
    environment |= {"WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.1", "WATCHFLOOR_WORKER_CONCURRENCY": "1"}
    return child(host.main, *queues, environment=environment)


def put(engine: Engine, known: Registry, job_type: str, *queues: str) -> list[UUID]:
    """One job of the type on each of these queues."""
    with engine.begin() as conn:
        return [enqueue(conn, known.job_types, NewJob(job_type, queue=queue)).id for queue in queues]


def workers(conn: Connection) -> list[Any]:
    """The instances that ever were, first to last."""
    return list(conn.execute(select(worker_instances).order_by(worker_instances.c.started_at)))


def refuses(words: str) -> AbstractContextManager[Any]:
    """A RuntimeError of the deployment's shape, with these words."""
    return pytest.raises(RuntimeError, match=words)
