"""Worker processes that die, or are told to: nothing is lost, nothing is held, nobody pays for another's crash."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select

from tests.factories import attempts, stored
from tests.worker.runtime.bench import registry, until
from tests.worker.runtime.process import HANDLERS
from worker import NewJob, enqueue
from worker.model import Status
from worker.queries.schema import job_attempts, platform_jobs, runtime_heartbeats

PACE = {
    "WATCHFLOOR_LEASE_SECONDS": "0.9",
    "WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.3",
    "WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.1",
    "WATCHFLOOR_REAPER_INTERVAL_SECONDS": "0.1",
    "WATCHFLOOR_SHUTDOWN_GRACE_SECONDS": "10",
}

Launch = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def launch(url: str) -> Iterator[Launch]:
    """Starts worker processes; those that still live are killed afterwards."""
    processes: list[subprocess.Popen[str]] = []

    def launch() -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.worker.runtime.process", url]
        process = subprocess.Popen(
            command, env=os.environ | PACE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        processes.append(process)
        return process

    yield launch
    for process in processes:
        process.kill()
        process.communicate()


def put(engine: Engine, name: str, count: int = 1, **fields: object) -> list[UUID]:
    known = registry(**HANDLERS).job_types
    with engine.begin() as conn:
        return [enqueue(conn, known, NewJob(name, **fields)).id for _ in range(count)]  # type: ignore[arg-type] # loose on purpose


def instance_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def count(conn: Connection, **columns: object) -> int:
    counted = select(func.count()).select_from(platform_jobs)
    for name, value in columns.items():
        counted = counted.where(platform_jobs.c[name] == value)
    return int(conn.execute(counted).scalar_one())


def test_a_05_a_job_that_kills_its_worker_dies_after_its_attempts(
    launch: Launch, engine: Engine, conn: Connection
) -> None:
    (killer,) = put(engine, "kill", max_attempts=3)
    put(engine, "good", 5)
    kills = 0
    while stored(conn, killer).status != "failed":
        process = launch()
        until(lambda process=process: process.poll() is not None or stored(conn, killer).status == "failed", 20)  # type: ignore[misc] # bound per turn
        kills += process.poll() == -signal.SIGKILL
    assert kills == 3
    assert [each.outcome for each in attempts(conn, killer)] == ["lease_expired"] * 3
    until(lambda: count(conn, job_type="good", status=Status.SUCCEEDED) == 5)


def test_a_06_the_neighbours_of_a_killer_all_succeed(launch: Launch, engine: Engine, conn: Connection) -> None:
    (killer,) = put(engine, "kill", max_attempts=3)
    put(engine, "good", 19, max_attempts=3)
    while stored(conn, killer).status != "failed":
        process = launch()
        until(lambda process=process: process.poll() is not None or stored(conn, killer).status == "failed", 20)  # type: ignore[misc] # bound per turn
    until(lambda: count(conn, status=Status.RUNNING) == count(conn, status=Status.QUEUED) == 0)
    assert count(conn, job_type="good", status=Status.SUCCEEDED) == 19
    assert [each.outcome for each in attempts(conn, killer) if each.outcome != "released"] == ["lease_expired"] * 3


def test_a_02_a_handler_that_never_lets_go_of_the_interpreter_keeps_its_lease(
    launch: Launch, engine: Engine, conn: Connection
) -> None:
    (job_id,) = put(engine, "spin", payload={"seconds": 2.5})
    launch()
    until(lambda: stored(conn, job_id).status == "succeeded", 20)
    assert (stored(conn, job_id).generation, len(attempts(conn, job_id))) == (1, 1)


def test_a_04_a_restart_is_another_holder_and_does_not_keep_the_old_lease(
    launch: Launch, engine: Engine, conn: Connection
) -> None:
    (job_id,) = put(engine, "spin", payload={"seconds": 0.5})
    first = launch()
    old = instance_of(first)  # before the kill, which may be faster than the line it prints
    until(lambda: stored(conn, job_id).status == "running", 20)
    first.kill()
    second = launch()
    until(lambda: stored(conn, job_id).status == "succeeded", 20)
    new = instance_of(second)
    assert [(each.worker_id, each.outcome) for each in attempts(conn, job_id)] == [
        (old, "lease_expired"),
        (new, "completed"),
    ]
    assert [row.instance_id for row in conn.execute(select(runtime_heartbeats))] == [new]


@pytest.mark.parametrize("moment", [random.uniform(0, 0.5) for _ in range(3)], ids=["one", "another", "a third"])
def test_a_07_after_sigterm_at_any_moment_no_row_is_held_and_no_attempt_is_lost(
    launch: Launch, engine: Engine, conn: Connection, moment: float
) -> None:
    put(engine, "some", 400)
    process = launch()
    instance_of(process)
    time.sleep(moment)  # the moment is what is tested
    process.terminate()
    assert process.wait(10) == 0, f"after {moment}"
    assert count(conn, status=Status.RUNNING) == 0, f"after {moment}"
    spent = select(func.count()).where(
        job_attempts.c.job_id == platform_jobs.c.id, job_attempts.c.outcome != "released"
    )
    wrong = select(func.count()).where(platform_jobs.c.attempts != spent.scalar_subquery())
    assert conn.execute(wrong).scalar_one() == 0, f"after {moment}"
