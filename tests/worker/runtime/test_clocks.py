"""Whatever a worker's own clock says, the queue follows the database's (A-48)."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, select

from tests.factories import attempts, stored
from tests.worker.runtime.bench import Gate, Start, put, status, until
from worker.backoff import DIRECT
from worker.database import moment
from worker.model import Job, Status
from worker.queries.schema import worker_instances

HOUR = 3600.0
CLOCKS: dict[str, Callable[[float], float]] = {
    "an hour ahead": lambda now: now + HOUR,
    "an hour behind": lambda now: now - HOUR,
    "drifting a second a minute": lambda now: now * (1 + 1 / 60),
}


@pytest.fixture(params=CLOCKS)
def wrong(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process's clock, wrong in one way."""
    right, shown = time.time, CLOCKS[request.param]
    monkeypatch.setattr(time, "time", lambda: shown(right()))
    monkeypatch.setattr(time, "time_ns", lambda: int(shown(right()) * 1e9))


def test_a_48_due_times_leases_backoff_and_beats_are_the_databases(
    wrong: None, start: Start, engine: Engine, conn: Connection
) -> None:
    def fail(_job: Job) -> None:
        raise ValueError("no")

    gate, began = Gate(), now(conn)
    names = {"work": lambda job: None, "fail": fail, "hold": gate, "wait": lambda job: None}
    (later,) = put(engine, "wait", delay_seconds=1800)
    done, failed, held = put(engine, "work", "fail", "hold")
    start({"lease_seconds": 60, "heartbeat_interval_seconds": 0.5}, **names)
    until(lambda: status(engine, done) == Status.SUCCEEDED and attempts(conn, failed) and gate.entered.is_set())
    row, (first,), held_until = stored(conn, done), attempts(conn, failed), stored(conn, held).lease_expires_at
    beat = conn.execute(select(worker_instances.c.last_heartbeat_at)).scalar_one()
    ended = now(conn)  # after the last look: the worker goes on beating
    assert began <= row.created_at <= attempts(conn, done)[0].claimed_at <= row.finished_at <= ended
    assert first.retry_at - first.finished_at == timedelta(seconds=DIRECT.delay(1))
    assert timedelta(0) <= held_until - began - timedelta(seconds=60) <= ended - began
    assert began <= beat <= ended
    assert status(engine, later) == Status.QUEUED
    gate.free.set()


def now(conn: Connection) -> datetime:
    """The database's time."""
    return conn.execute(select(moment())).scalar_one().astimezone(UTC)
