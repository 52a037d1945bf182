"""S2, distributed mode: processes that serve and processes that work, on one server."""

from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection, Engine, select

from app.main import create_app
from app.settings import ConsoleSettings
from tests.app.shell import Shell
from tests.conformance import host
from tests.conformance.acts import jobs, on
from tests.conformance.hosts import FILE, process, put, refuses, workers
from tests.factories import attempts, stored
from tests.worker.runtime.bench import Gate, nothing, quick, registry, settings, until
from worker import Event, publish
from worker.errors import TopologyRefused
from worker.handlers import Registry
from worker.model import Job, Status
from worker.queries.schema import event_outbox
from worker.runtime.hosting import run_job_worker, run_job_worker_async, schedule_job_maintenance
from worker.topology import several_processes


@pytest.fixture
def scheduler() -> Iterator[Any]:
    running = BackgroundScheduler()
    running.start()
    yield running
    if running.running:
        running.shutdown()


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
        running.signal(signal.SIGTERM)
        assert running.wait() == 0
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
