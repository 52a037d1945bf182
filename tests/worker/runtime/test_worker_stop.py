"""The end of a worker: what finishes, what goes back, and that no row stays held (S1-117, A-07)."""

import asyncio
import threading
import time

import pytest
from sqlalchemy import Connection, Engine, select, text

from tests.factories import attempts, stored
from tests.worker.runtime.bench import (
    PATIENCE_SECONDS,
    Gate,
    Start,
    in_status,
    nothing,
    outage,
    put,
    registry,
    status,
    until,
)
from worker import NewJob, enqueue, lease_lost
from worker.model import Job, Status
from worker.queries.schema import platform_jobs, sleepers, worker_instances


def test_an_idle_worker_stops_at_once_and_signs_off(start: Start, conn: Connection) -> None:
    worker = start({"poll_interval_seconds": 600}, work=nothing)
    until(lambda: conn.execute(select(sleepers)).all())
    began_at = time.monotonic()
    worker.stop(600)
    assert time.monotonic() - began_at < PATIENCE_SECONDS
    assert conn.execute(select(worker_instances.c.stopped_at)).scalar_one() is not None
    assert conn.execute(select(sleepers)).all() == []


def test_running_handlers_may_finish(start: Start, engine: Engine) -> None:
    gate = Gate()
    worker = start(work=gate)
    (job_id,) = put(engine, "work")
    gate.await_entry()
    stop = threading.Thread(target=worker.stop, args=(30,))
    stop.start()
    gate.free.set()
    stop.join(PATIENCE_SECONDS)
    assert not stop.is_alive()
    assert status(engine, job_id) == "succeeded"


def test_what_never_started_goes_back_unspent(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start({"worker_concurrency": 1}, slots=5, first=gate, work=nothing)
    put(engine, "first", "work", "work")
    gate.await_entry()
    until(lambda: in_status(engine, Status.RUNNING) == 3)
    stop = threading.Thread(target=worker.stop, args=(30,))
    stop.start()
    until(lambda: in_status(engine, Status.QUEUED) == 2)
    gate.free.set()
    stop.join(PATIENCE_SECONDS)
    waiting = conn.execute(select(platform_jobs).where(platform_jobs.c.job_type == "work")).all()
    assert [(row.status, row.attempts) for row in waiting] == [("queued", 0)] * 2
    assert {each.outcome for row in waiting for each in attempts(conn, row.id)} == {"released"}


def test_beyond_the_grace_time_the_job_goes_back_spent_and_its_handler_is_told(
    start: Start, engine: Engine, conn: Connection
) -> None:
    began, told, free = threading.Event(), threading.Event(), threading.Event()

    def stubborn(_job: Job) -> None:
        began.set()
        until(lease_lost)
        told.set()
        free.wait(2 * PATIENCE_SECONDS)

    worker = start(work=stubborn)
    (job_id,) = put(engine, "work")
    assert began.wait(PATIENCE_SECONDS)
    began_at = time.monotonic()
    worker.stop(0.5)
    assert time.monotonic() - began_at < PATIENCE_SECONDS
    assert told.wait(PATIENCE_SECONDS)
    row, (attempt,) = stored(conn, job_id), attempts(conn, job_id)
    assert (row.status, row.attempts, row.locked_by) == ("queued", 1, None)
    assert row.error_detail == attempt.error == "Interrupted by worker shutdown."
    free.set()


def test_without_any_grace_time_what_is_held_is_given_back_all_the_same(start: Start, engine: Engine) -> None:
    gate = Gate()
    worker = start(work=gate)
    (job_id,) = put(engine, "work")
    gate.await_entry()
    worker.stop(0)
    assert status(engine, job_id) == "queued"
    gate.free.set()


def test_a_coroutine_beyond_the_grace_time_is_interrupted_too(start: Start, engine: Engine) -> None:
    began = threading.Event()

    async def endless(_job: Job) -> None:
        began.set()
        await asyncio.sleep(3600)

    worker = start(work=endless)
    (job_id,) = put(engine, "work")
    assert began.wait(PATIENCE_SECONDS)
    worker.stop(0.2)
    assert status(engine, job_id) == "queued"


def test_without_a_database_it_still_stops_in_time(start: Start, engine: Engine) -> None:
    gate = Gate()
    worker = start(work=gate)
    put(engine, "work")
    gate.await_entry()
    with outage(engine):
        began_at = time.monotonic()
        worker.stop(1)
        assert time.monotonic() - began_at < PATIENCE_SECONDS
    gate.free.set()


@pytest.mark.parametrize("haste", [False, True], ids=["one signal", "two signals"])
@pytest.mark.postgresql
def test_a_08_a_claim_that_a_lock_holds_up_during_the_stop_keeps_nothing(
    start: Start, engine: Engine, conn: Connection, haste: bool
) -> None:
    worker = start({"worker_concurrency": 1}, work=nothing)
    until(lambda: conn.execute(select(sleepers)).all())
    with engine.begin() as lock:
        lock.execute(text("LOCK TABLE control.platform_jobs IN ACCESS EXCLUSIVE MODE"))
        job_id = enqueue(lock, registry(work=nothing).job_types, NewJob("work")).id
        until(lambda: conn.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one())
        stop = threading.Thread(target=worker.stop, args=(20,))
        stop.start()
        until(lambda: worker._held.idle() == 0)
        if haste:
            worker.hurry()
            stop.join(PATIENCE_SECONDS)
            assert not stop.is_alive(), "it does not wait for the lock"
    stop.join(PATIENCE_SECONDS)
    row = stored(conn, job_id)
    assert (row.status, row.attempts, row.locked_by) == ("queued", 0, None)
    assert [each.outcome for each in attempts(conn, job_id)] in ([], ["released"])


def test_a_08_in_haste_what_runs_goes_back_spent_at_once(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start(work=gate)
    (job_id,) = put(engine, "work")
    gate.await_entry()
    stop = threading.Thread(target=worker.stop, args=(60,))
    stop.start()
    until(lambda: worker._held.idle() == 0)
    worker.hurry()
    stop.join(PATIENCE_SECONDS)
    assert not stop.is_alive()
    row = stored(conn, job_id)
    assert (row.status, row.attempts, row.locked_by) == ("queued", 1, None)
    gate.free.set()
