"""Host functions: a worker beside a program's own threads, or as a process; the maintenance on its scheduler."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection, Engine, func, select

from tests.factories import stored
from tests.worker.runtime.bench import put, quick, registry, until
from worker import Event, publish
from worker.errors import ConfigurationError, SettingRefused, TopologyRefused
from worker.handlers import Registry
from worker.nets import DurableSubscriberNet
from worker.queries.pages.looks import look
from worker.queries.schema import platform_jobs, sample_minutes, worker_instances
from worker.runtime.hosting import (
    JobWorker,
    run_job_worker,
    run_job_worker_async,
    schedule_job_maintenance,
    start_job_worker,
)
from worker.settings import WorkerSettings


@pytest.fixture
def known() -> Registry:
    return registry(work=lambda job: None)


@pytest.fixture
def local(url: str) -> WorkerSettings:
    return quick(database_url=url)


@pytest.fixture
def standalone(url: str) -> WorkerSettings:
    return quick(database_url=url, job_worker_mode="standalone")


@pytest.fixture
def started(local: WorkerSettings, known: Registry) -> Iterator[JobWorker]:
    worker = start_job_worker(local, known, role="web", label="shop 1", metadata={"zone": "eu-1"})
    yield worker
    worker.stop()


@pytest.fixture
def scheduler() -> Iterator[Any]:
    running = BackgroundScheduler()
    running.start(paused=True)
    yield running
    if running.running:
        running.shutdown()


def instance(conn: Connection) -> Any:
    """The one worker that there is."""
    return conn.execute(select(worker_instances)).one()


def test_a_worker_beside_the_program_says_who_it_is_and_runs_jobs(
    started: JobWorker, engine: Engine, conn: Connection
) -> None:
    (job_id,) = put(engine, "work")
    until(lambda: stored(conn, job_id).status == "succeeded")
    row = instance(conn)
    assert (row.instance_id, row.component) == (started.instance_id, "local-worker")
    assert (row.role, row.label, row.metadata, row.concurrency) == ("web", "shop 1", {"zone": "eu-1"}, 1)


def test_a_second_start_gives_the_one_that_runs_whatever_it_asks(started: JobWorker, url: str) -> None:
    again = start_job_worker(quick(database_url=url, job_worker_mode="standalone"), Registry())
    assert again is started


def test_after_a_stop_it_is_signed_off_and_may_be_started_again(
    local: WorkerSettings, known: Registry, conn: Connection
) -> None:
    first = start_job_worker(local, known)
    first.stop()
    first.stop()
    assert not first.alive
    assert instance(conn).stopped_at is not None
    second = start_job_worker(local, known)
    assert second.instance_id != first.instance_id
    second.stop()


def test_starts_at_once_get_one_worker_between_them(local: WorkerSettings, known: Registry) -> None:
    workers: list[JobWorker] = []
    threads = [threading.Thread(target=lambda: workers.append(start_job_worker(local, known))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    workers[0].stop()
    assert len(workers) == 4
    assert len(set(workers)) == 1


def test_a_drained_worker_ends_by_itself(started: JobWorker, conn: Connection) -> None:
    conn.execute(worker_instances.update().values(drain_requested_at=func.now()))
    until(lambda: not started.alive)
    assert instance(conn).stopped_at is not None


def test_a_standalone_worker_runs_until_it_is_told_to_stop(
    standalone: WorkerSettings, engine: Engine, conn: Connection, known: Registry
) -> None:
    (job_id,) = put(engine, "work", queue="mail")
    stop = threading.Event()
    thread = threading.Thread(
        target=run_job_worker,
        args=(standalone, known),
        kwargs={"component": "mailer", "job_types": [" work", "work"], "queues": ["mail"], "stop": stop},
    )
    thread.start()
    until(lambda: stored(conn, job_id).status == "succeeded")
    stop.set()
    thread.join(30)
    row = instance(conn)
    assert (row.component, row.job_types, row.queues) == ("mailer", ["work"], ["mail"])
    assert row.stopped_at is not None


async def test_on_an_event_loop_the_blocking_call_is_refused(standalone: WorkerSettings, known: Registry) -> None:
    with pytest.raises(TopologyRefused, match="run_job_worker_async"):
        run_job_worker(standalone, known)


@pytest.mark.parametrize("end", ["signal", "cancellation"])
def test_the_async_call_runs_beside_the_loop_and_ends_cleanly(
    standalone: WorkerSettings, engine: Engine, conn: Connection, known: Registry, end: str
) -> None:
    async def live() -> None:
        working = asyncio.ensure_future(run_job_worker_async(standalone, known))
        (job_id,) = put(engine, "work")
        await asyncio.to_thread(until, lambda: stored(conn, job_id).status == "succeeded")
        if end == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            working.cancel()
        await working

    if end == "signal":
        asyncio.run(asyncio.wait_for(live(), 20))
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(asyncio.wait_for(live(), 20))
    assert instance(conn).stopped_at is not None
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"job_worker_mode": "in_process"}, RuntimeError, "WATCHFLOOR_JOB_WORKER_MODE=in_process"),
        ({}, RuntimeError, "WATCHFLOOR_JOB_WORKER_MODE=standalone: .*SQLite"),
        ({"database_url": None}, ValueError, "WATCHFLOOR_LEASE_SECONDS"),
        ({"lease_seconds": 30, "database_url": None}, ConfigurationError, "DATABASE_URL is not set"),
        ({"lease_seconds": 30, "database_url": "postgresql://nowhere/q"}, ValueError, "JOB_TYPES: unknown .*'nope'"),
    ],
)
def test_each_refusal_comes_before_those_after_it(values: dict[str, Any], kind: type[Exception], words: str) -> None:
    worst = {"job_worker_mode": "standalone", "database_url": "sqlite:///queue.db", "lease_seconds": 1}
    with pytest.raises(kind, match=words):
        run_job_worker(quick(**worst | values), registry(work=print), job_types=["nope"], queues=[], role="r" * 101)


def test_then_come_queues_and_what_it_says_of_itself(url: str, known: Registry) -> None:
    given = quick(database_url=url, job_worker_mode="standalone")
    with pytest.raises(SettingRefused, match="WORKER_QUEUES"):
        run_job_worker(given, known, queues=[], role="r" * 101)
    with pytest.raises(SettingRefused, match="WORKER_ROLE"):
        run_job_worker(given, known, queues="mail, news", role="r" * 101)


def test_the_environment_and_its_handlers_count_where_nothing_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nowhere/q")
    monkeypatch.setenv("WATCHFLOOR_HANDLERS", "no.such.module")
    with pytest.raises(ConfigurationError, match=r"no\.such\.module"):
        start_job_worker()
    monkeypatch.setenv("WATCHFLOOR_JOB_WORKER_MODE", "standalone")
    with pytest.raises(TopologyRefused, match="start_job_worker needs in_process"):
        start_job_worker()


def test_the_schedulers_jobs_keep_the_queue(
    scheduler: Any, local: WorkerSettings, known: Registry, engine: Engine, conn: Connection
) -> None:
    known.subscribers.register("order.paid", "orders.mail", lambda job: None)
    publish(conn, Event("order.paid"))
    maintenance = schedule_job_maintenance(scheduler, local, known)
    scheduler.resume()
    counted = select(func.count()).select_from(platform_jobs)
    until(lambda: conn.execute(counted).scalar() == 1)
    scheduler.shutdown()
    maintenance.close()
    assert conn.execute(select(platform_jobs.c.subscriber_id)).scalar() == "orders.mail"


def test_a_host_that_says_how_keeps_the_samples_of_each_minute(
    scheduler: Any, local: WorkerSettings, known: Registry, conn: Connection
) -> None:
    maintenance = schedule_job_maintenance(scheduler, local, known, look=look)
    scheduler.resume()
    until(lambda: conn.execute(select(sample_minutes)).first())
    scheduler.shutdown()
    maintenance.close()


def test_each_duty_is_one_interval_job_however_often_it_is_asked(
    scheduler: Any, local: WorkerSettings, known: Registry
) -> None:
    schedule_job_maintenance(scheduler, local, known).close()
    duties = {"relay", "roll-call", "reaper", "acts", "grouper", "pruner"}
    assert {job.id for job in scheduler.get_jobs()} == {f"watchfloor-{name}" for name in duties}
    known.nets.register(DurableSubscriberNet("orders.mail", backfill=lambda: None))
    schedule_job_maintenance(scheduler, local, known).close()
    jobs = {job.id: job for job in scheduler.get_jobs()}
    assert jobs.keys() == {f"watchfloor-{name}" for name in (*duties, "backfills")}
    assert {(job.coalesce, job.max_instances) for job in jobs.values()} == {(True, 1)}
    assert jobs["watchfloor-pruner"].trigger.interval.total_seconds() == 3600
