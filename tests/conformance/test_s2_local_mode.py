"""S2, local mode: one process with one serial consumer, which is all that a SQLite file serves."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import Connection, Engine

from tests.app.shell import Shell
from tests.conformance.hosts import FILE, process, put, refuses
from tests.factories import stored
from tests.worker.runtime.bench import nothing, quick, registry, settings, until
from worker.handlers import Registry
from worker.model import Job, Status
from worker.runtime.hosting import run_job_worker, schedule_job_maintenance, start_job_worker

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
        assert second.wait() != 0
        refusal = "TopologyRefused: DATABASE_URL: another worker runs on this SQLite database"
        assert refusal in second.complained()
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
