"""A worker as a whole, on threads of its own and a real database."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, event, func, select, text
from structlog.testing import capture_logs

from tests.factories import attempts, job, stored
from tests.worker.runtime.bench import Gate, outage, quick, read_only, registry, until
from worker import JobCancelled, NewJob, cancel_requested, enqueue, enqueue_many, lease_lost
from worker.errors import ConfigurationError
from worker.job_types import Handler
from worker.model import RECOVERED, Job, Status
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.schema import platform_jobs, runtime_heartbeats, sleepers, worker_instances
from worker.queries.workers import request_drain
from worker.runtime.worker import Worker

Start = Callable[..., Worker]
DANA = Actor("dana")


@pytest.fixture
def start(url: str) -> Iterator[Start]:
    """Starts workers with these settings and handlers; those that still run are stopped afterwards."""
    running: list[Worker] = []

    def start(values: dict[str, Any] | None = None, slots: int | None = None, **handlers: Handler) -> Worker:
        worker = Worker(quick(**values or {}), registry(**handlers), url=url, slots=slots)
        running.append(worker)
        worker.start()
        return worker

    yield start
    for worker in running:
        worker.stop(0.1)


def put(engine: Engine, *names: str, **fields: Any) -> list[UUID]:
    known = registry(**dict.fromkeys(names, nothing)).job_types
    with engine.begin() as conn:
        return [enqueue(conn, known, NewJob(name, **fields)).id for name in names]


def nothing(_job: Job) -> None:
    """A handler."""


def status(engine: Engine, job_id: UUID) -> str:
    with engine.connect() as conn:
        return str(stored(conn, job_id).status)


def in_status(engine: Engine, wanted: Status) -> int:
    with engine.connect() as conn:
        counted = select(func.count()).where(platform_jobs.c.status == wanted)
        return int(conn.execute(counted).scalar_one())


def test_jobs_run_once_each_and_are_accounted_for(start: Start, engine: Engine) -> None:
    ran: list[UUID] = []
    known = registry(work=nothing).job_types
    with engine.begin() as conn:
        enqueue_many(conn, known, [NewJob("work") for _ in range(200)])
    start(work=lambda job: ran.append(job.id))
    until(lambda: in_status(engine, Status.SUCCEEDED) == 200)
    assert len(set(ran)) == len(ran) == 200


def test_a_lone_job_starts_long_before_the_next_poll(start: Start, engine: Engine, conn: Connection) -> None:
    started = threading.Event()
    start({"poll_interval_seconds": 600}, work=lambda job: started.set())
    until(lambda: conn.execute(select(sleepers)).all())
    put(engine, "work")
    assert started.wait(5)


def test_a_17_without_any_hint_the_poll_finds_the_job(start: Start, engine: Engine, conn: Connection) -> None:
    started = threading.Event()
    start(work=lambda job: started.set())
    until(lambda: conn.execute(select(sleepers)).all())
    conn.execute(sleepers.delete())
    put(engine, "work")
    assert started.wait(5)


def test_async_and_sync_handlers_run_beside_each_other(start: Start, engine: Engine) -> None:
    seen: set[str] = set()

    async def later(job: Job) -> None:
        await asyncio.sleep(0)
        seen.add(job.job_type)

    start(later=later, now=lambda job: seen.add(job.job_type))
    put(engine, "later", "now")
    until(lambda: in_status(engine, Status.SUCCEEDED) == 2)
    assert seen == {"later", "now"}


@pytest.mark.parametrize("values", [{"worker_job_types": "nope"}, {"worker_job_types": "train_tenant_model"}])
def test_s1_59_and_95_a_worker_that_may_not_start_leaves_no_trace(
    start: Start, conn: Connection, values: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError):
        start(values, work=nothing)
    assert conn.execute(select(runtime_heartbeats)).all() == []
    assert conn.execute(select(worker_instances)).all() == []


def test_s1_110_what_is_stale_is_recovered_before_the_first_claim(url: str, conn: Connection) -> None:
    planted = job(conn, job_type="work", status=Status.RUNNING, lease_expires_at=None)
    conn.execute(text("UPDATE control.platform_jobs SET locked_at = now() - interval '901s', available_at = now()"))
    done = threading.Event()
    worker = Worker(quick(), registry(work=lambda job: done.set()), url=url)
    worker.start()
    assert done.wait(5)
    worker.stop()
    first, second = attempts(conn, planted)
    assert (first.outcome, first.error, second.outcome) == ("lease_expired", RECOVERED, "completed")


def test_s1_90_it_beats_while_a_job_runs(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start(work=gate)
    put(engine, "work")
    beats = select(func.jsonb_array_length(worker_instances.c.recent_beats)).where(
        worker_instances.c.instance_id == worker.instance.instance_id
    )
    until(lambda: in_status(engine, Status.RUNNING) == 1 and conn.execute(beats).scalar_one() >= 4)
    gate.free.set()


def test_s2_129_a_handler_longer_than_its_lease_runs_once(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start(work=gate)
    (job_id,) = put(engine, "work")
    age = "SELECT extract(epoch FROM clock_timestamp() - locked_at) FROM control.platform_jobs"
    until(lambda: (conn.execute(text(age)).scalar_one() or 0) > 2 * worker._settings.lease_seconds)
    gate.free.set()
    until(lambda: status(engine, job_id) == "succeeded")
    assert (stored(conn, job_id).generation, len(attempts(conn, job_id))) == (1, 1)


def test_s1_44_and_a_24_nothing_of_ours_idles_in_a_transaction_while_a_handler_runs(
    start: Start, engine: Engine, conn: Connection
) -> None:
    gate = Gate()
    start(work=gate)
    put(engine, "work")
    until(lambda: in_status(engine, Status.RUNNING) == 1)
    idle = text(
        "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
        " AND clock_timestamp() - state_change > interval '1s' AND application_name LIKE 'watchfloor%'"
    )
    looks = [conn.execute(idle).scalar_one() for _ in range(200)]
    gate.free.set()
    assert set(looks) == {0}


def test_a_51_a_running_handler_hears_a_cancel_within_a_beat(start: Start, engine: Engine, conn: Connection) -> None:
    def obedient(_job: Job) -> None:
        until(cancel_requested)
        raise JobCancelled

    start(work=obedient)
    (job_id,) = put(engine, "work")
    until(lambda: status(engine, job_id) == "running")
    cancel(conn, job_ids=[job_id], actor=DANA, reason="wrong tenant")
    until(lambda: status(engine, job_id) == "cancelled")
    assert [each.outcome for each in attempts(conn, job_id)] == ["cancelled"]


def test_s2_130_to_134_an_overdue_job_keeps_its_thread_and_nothing_waits_behind_it(
    start: Start, engine: Engine, conn: Connection
) -> None:
    free, heard = threading.Event(), threading.Event()

    def hang(_job: Job) -> None:
        until(lease_lost)
        heard.set()
        free.wait(30)

    values = {"max_runtime_seconds": 1.5, "worker_concurrency": 1, "job_stale_after_seconds": 900}
    with capture_logs() as logs:
        start(values, slots=3, hang=hang, work=nothing)
        hung, behind = put(engine, "hang")[0], put(engine, "work")[0]
        assert heard.wait(10)
        until(lambda: status(engine, behind) == "queued")
    until(lambda: status(engine, hung) == "queued")
    assert stored(conn, behind).attempts == 0
    assert [entry["job_id"] for entry in logs if entry["event"] == "job.overran"] == [str(hung)]
    assert [each.outcome for each in attempts(conn, hung)] == ["lease_expired"]
    assert in_status(engine, Status.RUNNING) == 0
    free.set()
    until(lambda: status(engine, behind) == "succeeded")


def test_a_drain_ends_with_nothing_held(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start(work=gate)
    (running,) = put(engine, "work")
    until(lambda: status(engine, running) == "running")
    request_drain(conn, instance_id=worker.instance.instance_id, actor=DANA)
    until(lambda: worker._held.idle() == 0)
    (left,) = put(engine, "work")
    assert not worker.drained
    gate.free.set()
    until(lambda: worker.drained)
    assert (status(engine, running), status(engine, left)) == ("succeeded", "queued")


class TestStop:
    """The end of a worker (S1-117, A-07)."""

    def test_an_idle_worker_stops_at_once_and_signs_off(self, start: Start, conn: Connection) -> None:
        worker = start(work=nothing)
        until(lambda: conn.execute(select(sleepers)).all())
        began_at = time.monotonic()
        worker.stop()
        assert time.monotonic() - began_at < 2
        assert conn.execute(select(worker_instances.c.stopped_at)).scalar_one() is not None
        assert conn.execute(select(sleepers)).all() == []

    def test_running_handlers_may_finish(self, start: Start, engine: Engine) -> None:
        gate = Gate()
        worker = start(work=gate)
        (job_id,) = put(engine, "work")
        assert gate.entered.wait(5)
        stop = threading.Thread(target=worker.stop, args=(30,))
        stop.start()
        gate.free.set()
        stop.join(10)
        assert not stop.is_alive()
        assert status(engine, job_id) == "succeeded"

    def test_what_never_started_goes_back_unspent(self, start: Start, engine: Engine, conn: Connection) -> None:
        gate = Gate()
        worker = start({"worker_concurrency": 1}, slots=5, first=gate, work=nothing)
        put(engine, "first", "work", "work")
        assert gate.entered.wait(5)
        until(lambda: in_status(engine, Status.RUNNING) == 3)
        stop = threading.Thread(target=worker.stop, args=(30,))
        stop.start()
        until(lambda: in_status(engine, Status.QUEUED) == 2)
        gate.free.set()
        stop.join(10)
        waiting = conn.execute(select(platform_jobs).where(platform_jobs.c.job_type == "work")).all()
        assert [(row.status, row.attempts) for row in waiting] == [("queued", 0)] * 2
        assert {each.outcome for row in waiting for each in attempts(conn, row.id)} == {"released"}

    def test_beyond_the_grace_time_the_job_goes_back_spent_and_its_handler_is_told(
        self, start: Start, engine: Engine, conn: Connection
    ) -> None:
        told, free = threading.Event(), threading.Event()

        def stubborn(_job: Job) -> None:
            until(lease_lost)
            told.set()
            free.wait(30)

        worker = start(work=stubborn)
        (job_id,) = put(engine, "work")
        until(lambda: status(engine, job_id) == "running")
        began_at = time.monotonic()
        worker.stop(0.5)
        assert time.monotonic() - began_at < 5
        assert told.wait(5)
        row, (attempt,) = stored(conn, job_id), attempts(conn, job_id)
        assert (row.status, row.attempts, row.locked_by) == ("queued", 1, None)
        assert row.error_detail == attempt.error == "Interrupted by worker shutdown."
        free.set()

    def test_a_coroutine_beyond_the_grace_time_is_interrupted_too(self, start: Start, engine: Engine) -> None:
        async def endless(_job: Job) -> None:
            await asyncio.sleep(3600)

        worker = start(work=endless)
        (job_id,) = put(engine, "work")
        until(lambda: status(engine, job_id) == "running")
        worker.stop(0.2)
        assert status(engine, job_id) == "queued"

    def test_without_a_database_it_still_stops_in_time(self, start: Start, engine: Engine) -> None:
        gate = Gate()
        worker = start(work=gate)
        put(engine, "work")
        assert gate.entered.wait(5)
        with outage(engine):
            began_at = time.monotonic()
            worker.stop(1)
            assert time.monotonic() - began_at < 8
        gate.free.set()


class TestOutage:
    """The database goes and comes back (A-14, A-16)."""

    def test_a_job_that_ends_in_an_outage_is_written_after_it_and_work_goes_on(
        self, start: Start, engine: Engine
    ) -> None:
        gate = Gate()
        start({"lease_seconds": 30, "heartbeat_interval_seconds": 1}, work=gate)
        (job_id,) = put(engine, "work")
        until(lambda: status(engine, job_id) == "running")
        with capture_logs() as logs, outage(engine):
            gate.free.set()
            until(lambda: any(entry.get("loop") == "completer" for entry in logs))
        until(lambda: status(engine, job_id) == "succeeded")
        (after,) = put(engine, "work")
        until(lambda: status(engine, after) == "succeeded")
        lost = [entry["loop"] for entry in logs if entry["event"] == "database.lost"]
        assert len(lost) == len(set(lost)), "each loop says it once"
        with engine.connect() as conn:
            assert len(attempts(conn, job_id)) == 1

    def test_tries_are_spaced(self, start: Start, engine: Engine) -> None:
        worker = start(work=nothing)
        tries: list[float] = []
        with outage(engine):
            event.listen(worker._engine, "do_connect", lambda *_: tries.append(time.monotonic()))
            until(lambda: tries and time.monotonic() - tries[0] > 3)
        assert len(tries) <= 5 * (time.monotonic() - tries[0])

    def test_a_16_a_server_that_turned_read_only_is_left_and_met_again(self, start: Start, engine: Engine) -> None:
        with capture_logs() as logs:
            start(work=nothing)
            (job_id,) = put(engine, "work")
            until(lambda: status(engine, job_id) == "succeeded")
            with read_only(engine):
                until(lambda: {entry["loop"] for entry in logs if entry["event"] == "database.lost"} >= {"heartbeat"})
        (after,) = put(engine, "work")
        until(lambda: status(engine, after) == "succeeded")
