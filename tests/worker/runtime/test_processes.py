"""Worker processes that die, or are told to: nothing is lost, nothing is held, nobody pays for another's crash."""

from __future__ import annotations

import random
import signal
import time
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select

from tests.factories import attempts, stored
from tests.nursery import Child
from tests.worker.runtime.bench import registry, until
from tests.worker.runtime.process import HANDLERS, end_leases, outlive, worker_process
from worker import NewJob, enqueue
from worker.model import Status
from worker.queries.schema import job_attempts, platform_jobs, runtime_heartbeats


def put(engine: Engine, name: str, count: int = 1, **fields: object) -> list[UUID]:
    known = registry(**HANDLERS).job_types
    with engine.begin() as conn:
        return [enqueue(conn, known, NewJob(name, **fields)).id for _ in range(count)]  # type: ignore[arg-type] # loose on purpose


def instance_of(worker: Child) -> str:
    until(lambda: "\n" in worker.said(), 30)
    return worker.said().splitlines()[0]


def last_beat(conn: Connection) -> datetime:
    beat: datetime = conn.execute(select(runtime_heartbeats.c.heartbeat_at)).scalar_one()
    return beat


def count(conn: Connection, **columns: object) -> int:
    counted = select(func.count()).select_from(platform_jobs)
    for name, value in columns.items():
        counted = counted.where(platform_jobs.c[name] == value)
    return int(conn.execute(counted).scalar_one())


def test_a_05_a_job_that_kills_its_worker_dies_after_its_attempts(url: str, engine: Engine, conn: Connection) -> None:
    (killer,) = put(engine, "kill", max_attempts=3)
    put(engine, "good", 5)
    assert outlive(url, conn) == 3
    assert [each.outcome for each in attempts(conn, killer)] == ["lease_expired"] * 3
    assert count(conn, job_type="good", status=Status.SUCCEEDED) == 5


def test_a_06_the_neighbours_of_a_killer_all_succeed(url: str, engine: Engine, conn: Connection) -> None:
    (killer,) = put(engine, "kill", max_attempts=3)
    put(engine, "good", 19, max_attempts=3)
    outlive(url, conn)
    assert count(conn, job_type="good", status=Status.SUCCEEDED) == 19
    assert [each.outcome for each in attempts(conn, killer) if each.outcome != "released"] == ["lease_expired"] * 3


def test_a_02_a_handler_that_never_lets_go_of_the_interpreter_keeps_its_lease(
    url: str, engine: Engine, conn: Connection
) -> None:
    (job_id,) = put(engine, "spin", payload={"seconds": 60})
    with worker_process(url, HEARTBEAT_INTERVAL_SECONDS="0.2") as worker:
        until(lambda: "spinning" in worker.said(), 30)
        later = stored(conn, job_id).lease_expires_at + timedelta(seconds=1)
        until(lambda: stored(conn, job_id).lease_expires_at > later, 30)
        assert (stored(conn, job_id).generation, attempts(conn, job_id)) == (1, [])


def test_a_04_a_restart_is_another_holder_and_does_not_keep_the_old_lease(
    url: str, engine: Engine, conn: Connection
) -> None:
    (job_id,) = put(engine, "stall")
    with worker_process(url) as first:
        old = instance_of(first)
        until(lambda: stored(conn, job_id).status == "running", 30)
    lease = stored(conn, job_id).lease_expires_at
    with worker_process(url, HEARTBEAT_INTERVAL_SECONDS="0.1") as second:
        new = instance_of(second)
        some_beats_on = last_beat(conn) + timedelta(seconds=0.3)
        until(lambda: last_beat(conn) > some_beats_on)
        assert stored(conn, job_id).lease_expires_at == lease
        end_leases(conn)
        until(lambda: stored(conn, job_id).status == "succeeded", 30)
    assert [(each.worker_id, each.outcome) for each in attempts(conn, job_id)] == [
        (old, "lease_expired"),
        (new, "completed"),
    ]
    assert [row.instance_id for row in conn.execute(select(runtime_heartbeats))] == [new]


@pytest.mark.parametrize("moment", [random.uniform(0, 0.5) for _ in range(3)], ids=["one", "another", "a third"])
def test_a_07_after_sigterm_at_any_moment_no_row_is_held_and_no_attempt_is_lost(
    url: str, engine: Engine, conn: Connection, moment: float
) -> None:
    put(engine, "some", 400)
    with worker_process(url, SHUTDOWN_GRACE_SECONDS="30") as worker:
        instance_of(worker)
        time.sleep(moment)  # the moment is what is tested
        worker.signal(signal.SIGTERM)
        assert worker.wait() == 0, f"after {moment}"
    assert count(conn, status=Status.RUNNING) == 0, f"after {moment}"
    spent = select(func.count()).where(
        job_attempts.c.job_id == platform_jobs.c.id, job_attempts.c.outcome != "released"
    )
    wrong = select(func.count()).where(platform_jobs.c.attempts != spent.scalar_subquery())
    assert conn.execute(wrong).scalar_one() == 0, f"after {moment}"
