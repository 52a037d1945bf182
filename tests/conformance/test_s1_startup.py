"""S1, start-up: a worker that could not do what it would advertise never says that it lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, select

from tests.worker.runtime.bench import nothing, quick, registry
from worker.errors import ConfigurationError
from worker.queries.schema import runtime_heartbeats, worker_instances
from worker.runtime.hosting import start_job_worker

Begin = Callable[..., None]


@pytest.fixture
def begin(url: str) -> Begin:
    """Starts a worker that has a handler, and stops it at once."""
    return lambda **values: start_job_worker(quick(database_url=url, **values), registry(work=nothing)).stop()


def advertised(conn: Connection) -> list[list[str]]:
    """The types that any worker ever said it runs, by instance and by component."""
    said = [row.job_types for row in conn.execute(select(worker_instances))]
    return said + [row.detail["job_types"] for row in conn.execute(select(runtime_heartbeats))]


@pytest.mark.parametrize(
    "values", [{"lease_seconds": 1}, {"worker_job_types": ["nope"]}, {"worker_job_types": ["provision_tenant"]}]
)
def test_s1_95_a_worker_that_is_refused_leaves_no_heartbeat(
    begin: Begin, conn: Connection, values: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError):
        begin(**values)
    assert advertised(conn) == []
