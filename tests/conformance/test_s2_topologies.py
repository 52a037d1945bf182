"""S2, topologies: one process on a file, several on a server, and what is refused because they do not mix."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection, Engine, select

from app.main import create_app
from app.settings import ConsoleSettings
from tests.app.shell import Shell
from tests.conformance import host
from tests.conformance.acts import jobs, on
from tests.factories import attempts, stored
from tests.worker.runtime.bench import Gate, nothing, quick, registry, settings, until
from worker import Event, NewJob, enqueue, publish
from worker.errors import TopologyRefused
from worker.handlers import Registry
from worker.model import Job, Status
from worker.queries.schema import event_outbox, worker_instances
from worker.runtime.hosting import (
    run_job_worker,
    run_job_worker_async,
    schedule_job_maintenance,
    start_job_worker,
)
from worker.topology import several_processes

FILE = "sqlite:///queue.db"
Start = Callable[..., None]


@pytest.fixture
def begin(url: str) -> Iterator[Start]:
    """Starts the in-process worker with these handlers; it is stopped afterwards."""
    running: list[Any] = []

    def begin(values: dict[str, Any] | None = None, **handlers: Callable[[Job], Any]) -> None:
        running.append(start_job_worker(quick(database_url=url, **values or {}), registry(**handlers)))

    yield begin
    for worker in running:
        worker.stop()


@pytest.fixture
def scheduler() -> Iterator[Any]:
    running = BackgroundScheduler()
    running.start()
    yield running
    if running.running:
        running.shutdown()


@contextmanager
def process(url: str, *queues: str) -> Iterator[subprocess.Popen[str]]:
    """A host's process, alive at most as long as the block: a worker of these queues, or a program that has one."""
    environment = {"DATABASE_URL": url, "WATCHFLOOR_JOB_WORKER_MODE": "standalone" if queues else "in_process"}
    environment |= {"WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.1", "WATCHFLOOR_WORKER_CONCURRENCY": "1"}
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.host", *queues],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def put(engine: Engine, known: Registry, job_type: str, *queues: str) -> list[UUID]:
    """One job of the type on each of these queues."""
    with engine.begin() as conn:
        return [enqueue(conn, known.job_types, NewJob(job_type, queue=queue)).id for queue in queues]


def workers(conn: Connection) -> list[Any]:
    return list(conn.execute(select(worker_instances).order_by(worker_instances.c.started_at)))


def refuses(words: str) -> AbstractContextManager[Any]:
    """A RuntimeError of the deployment's shape, with these words."""
    return pytest.raises(RuntimeError, match=words)


def test_s2_71_a_worker_starts_in_the_process_and_drains_the_queue(
    begin: Start, engine: Engine, conn: Connection
) -> None:
    ids = put(engine, registry(work=nothing), "work", *["default"] * 5)
    begin(work=nothing)
    assert "watchfloor worker" in {thread.name for thread in threading.enumerate()}
    until(lambda: all(stored(conn, each).status == Status.SUCCEEDED for each in ids))


def test_s2_72_the_maintenance_is_interval_jobs_of_an_apscheduler(url: str) -> None:
    paused = BackgroundScheduler()
    schedule_job_maintenance(paused, quick(database_url=url), Registry()).close()
    paused.start(paused=True)
    scheduled = {job.id: job.trigger.interval.total_seconds() for job in paused.get_jobs()}
    paused.shutdown()
    assert scheduled.items() >= {"watchfloor-relay": 0.2, "watchfloor-reaper": 0.2, "watchfloor-pruner": 3600}.items()


def test_s2_73_it_runs_all_queues_one_job_at_a_time(begin: Start, engine: Engine, conn: Connection) -> None:
    now_running, most = [0], [0]

    def work(_job: Job) -> None:
        now_running[0] += 1
        most[0] = max(most[0], now_running[0])
        time.sleep(0.01)  # long enough for another to begin beside it, if it could
        now_running[0] -= 1

    ids = put(engine, registry(work=work), "work", *("a", "b", "c") * 3)
    begin(work=work)
    until(lambda: all(stored(conn, each).status == Status.SUCCEEDED for each in ids))
    assert most == [1]


def test_s2_74_it_rotates_the_queue_it_begins_with(begin: Start, engine: Engine) -> None:
    ran: list[str] = []

    def work(job: Job) -> None:
        ran.append(job.queue)

    put(engine, registry(work=work), "work", *"aaabbb")
    begin({"batch_size": 1}, work=work)
    until(lambda: len(ran) == 6)
    assert ran == ["a", "b", "a", "b", "a", "b"]


def test_s2_75_a_file_serves_one_process_with_one_consumer(file: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{shutil.copyfile(file, tmp_path / 'queue.db')}"
    worker = start_job_worker(quick(database_url=url), registry(work=nothing))
    with process(url) as second:
        _, said = second.communicate(timeout=30)
    assert second.returncode != 0
    assert "TopologyRefused: DATABASE_URL: another worker runs on this SQLite database" in said
    assert start_job_worker(quick(database_url=url), registry(work=nothing)) is worker
    worker.stop()


def test_s2_76_on_a_file_several_web_workers_are_refused_by_name() -> None:
    with refuses("WATCHFLOOR_WEB_WORKERS=2: .*SQLite"):
        start_job_worker(settings(database_url=FILE, web_workers=2), registry(work=nothing))


def test_s2_77_on_a_file_the_distributed_profile_is_refused_with_one_web_worker_too() -> None:
    with refuses("WATCHFLOOR_PROFILE=distributed: .*SQLite"):
        start_job_worker(settings(database_url=FILE, profile="distributed", web_workers=1), registry(work=nothing))


def test_s2_78_on_a_file_standalone_workers_are_refused_by_name() -> None:
    with refuses("WATCHFLOOR_JOB_WORKER_MODE=standalone: .*SQLite"):
        run_job_worker(settings(database_url=FILE, job_worker_mode="standalone"), registry(work=nothing))
    for command in ("worker", "serve"):
        assert "SQLite" in Shell(FILE).refused(command, code=78)


def test_s2_79_the_in_process_worker_needs_its_mode_which_is_the_default() -> None:
    assert settings().job_worker_mode == "in_process"
    with refuses("WATCHFLOOR_JOB_WORKER_MODE=standalone: start_job_worker needs in_process"):
        start_job_worker(settings(job_worker_mode="standalone"), registry(work=nothing))
    refusal = Shell(FILE).refused("up", code=78, WATCHFLOOR_JOB_WORKER_MODE="standalone")
    assert "WATCHFLOOR_JOB_WORKER_MODE=standalone: `watchfloor up` needs in_process" in refusal


@pytest.mark.postgresql
def test_s2_80_a_process_with_the_maintenance_relays_and_runs_nothing(
    scheduler: Any, url: str, conn: Connection
) -> None:
    ran: list[Job] = []
    known = Registry()
    known.subscribers.register("order.created", "invoice.render", ran.append)
    publish(conn, Event("order.created"))
    api = settings(database_url=url, job_worker_mode="standalone", profile="distributed", web_workers=4)
    maintenance = schedule_job_maintenance(scheduler, api, known)
    until(lambda: len(jobs(conn)) == 1)
    assert conn.execute(select(event_outbox.c.fanout)).scalar_one() == 1
    scheduler.shutdown()
    maintenance.close()
    assert (jobs(conn)[0].status, ran, workers(conn)) == ("queued", [], [])


@pytest.mark.postgresql
def test_s2_81_console_and_worker_refuse_an_environment_that_says_otherwise(url: str) -> None:
    for command in ("serve", "worker"):
        refusal = Shell(url).refused(command, code=78, WATCHFLOOR_JOB_WORKER_MODE="in_process")
        assert f"WATCHFLOOR_JOB_WORKER_MODE=in_process: `watchfloor {command}` needs standalone" in refusal


def test_s2_82_so_a_console_process_knows_what_it_cannot_share(scheduler: Any) -> None:
    api = settings(database_url=FILE, job_worker_mode="standalone")
    assert several_processes(api) == "WATCHFLOOR_JOB_WORKER_MODE=standalone"
    with refuses("WATCHFLOOR_JOB_WORKER_MODE=standalone: .*SQLite"):
        schedule_job_maintenance(scheduler, api, on(Registry(), "order.created", "invoice.render"))
    assert scheduler.get_jobs() == []
    with refuses("WATCHFLOOR_JOB_WORKER_MODE=standalone: .*the console needs a PostgreSQL"):
        create_app(ConsoleSettings.model_validate({"database_url": FILE, "job_worker_mode": "standalone"}))


def test_s2_83_the_blocking_worker_needs_standalone() -> None:
    with refuses("WATCHFLOOR_JOB_WORKER_MODE=in_process: run_job_worker needs standalone"):
        run_job_worker(settings(), registry(work=nothing))


@pytest.mark.postgresql
def test_s2_84_on_an_event_loop_it_is_refused_and_the_async_form_takes_a_thread(
    url: str, engine: Engine, conn: Connection
) -> None:
    given, gate = quick(database_url=url, job_worker_mode="standalone"), Gate()
    known = registry(work=gate)
    (job_id,) = put(engine, known, "work", "default")

    async def serve() -> None:
        with pytest.raises(TopologyRefused, match="run_job_worker_async"):
            run_job_worker(given, known)
        working = asyncio.ensure_future(run_job_worker_async(given, known))
        await asyncio.to_thread(gate.entered.wait, 10)  # the loop is free while the handler runs
        gate.free.set()
        await asyncio.to_thread(until, lambda: stored(conn, job_id).status == Status.SUCCEEDED)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(asyncio.wait_for(serve(), 30))
    assert workers(conn)[0].stopped_at is not None


def test_s2_85_what_it_takes() -> None:
    parameters = inspect.signature(run_job_worker).parameters
    assert {"component", "job_types", "queues", "role", "label", "metadata", "stop"} <= parameters.keys()
    assert inspect.signature(run_job_worker, eval_str=True).parameters["stop"].annotation == threading.Event | None


@pytest.mark.postgresql
def test_s2_86_sigterm_sets_stop_and_the_exit_is_clean(url: str, conn: Connection) -> None:
    with process(url, "campaign", "intake") as running:
        until(lambda: workers(conn), 30)
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
    (row,) = workers(conn)
    assert (row.queues, row.role, row.label) == (["campaign", "intake"], "domain-worker", "campaign-intake")
    assert (row.metadata, row.pid) == ({"zone": "eu-1"}, running.pid)
    assert row.stopped_at is not None


@pytest.mark.postgresql
def test_s2_87_a_stalled_queue_does_not_slow_another_groups(url: str, engine: Engine, conn: Connection) -> None:
    with process(url, "slow"), process(url, "quick"):
        until(lambda: len(workers(conn)) == 2, 30)
        (stalled,) = put(engine, host.known(), "stall", "slow")
        until(lambda: stored(conn, stalled).status == Status.RUNNING)
        behind, *others = put(engine, host.known(), "work", "slow", *["quick"] * 20)
        until(lambda: all(stored(conn, each).status == Status.SUCCEEDED for each in others))
        assert (stored(conn, stalled).status, stored(conn, behind).status) == (Status.RUNNING, Status.QUEUED)


@pytest.mark.postgresql
def test_s2_88_processes_on_one_queue_compete_and_each_job_runs_once(
    url: str, engine: Engine, conn: Connection
) -> None:
    with process(url, "mail"), process(url, "mail"):
        until(lambda: len(workers(conn)) == 2, 30)
        ids = put(engine, host.known(), "work", *["mail"] * 120)
        until(lambda: all(stored(conn, each).status == Status.SUCCEEDED for each in ids), 30)
    histories = [attempts(conn, each) for each in ids]
    assert {len(history) for history in histories} == {1}
    assert {history[0].worker_id for history in histories} == {row.instance_id for row in workers(conn)}
