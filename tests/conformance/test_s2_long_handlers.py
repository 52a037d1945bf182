"""S2, long-running handlers: what bounds them, and what becomes of the others meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, update

from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON, attempts, job, stored, worker_instance
from tests.worker.runtime.bench import Bench, Gate, Start, nothing, outage, put, registry, until
from worker import lease_lost
from worker.model import Job, Status
from worker.queries.schema import platform_jobs
from worker.runtime.held import Run

PACE = {"lease_seconds": 30, "heartbeat_interval_seconds": 10, "max_runtime_seconds": 60}
SHORT = {"lease_seconds": 1.5, "heartbeat_interval_seconds": 0.3, "reaper_interval_seconds": 0.1}


@pytest.fixture
def bench(engine: Engine) -> Bench:
    """A worker of two threads and three slots."""
    return Bench(engine, registry(render_report=nothing), slots=3, **PACE)


def running(bench: Bench, *, for_seconds: float = 0, silent_seconds: float = 0) -> Run:
    """A job whose handler began so long ago, under a lease last renewed so long ago."""
    bench.enqueue("render_report")
    (run,) = bench.claim()
    bench.held.begin(run)
    assert run.started_at
    run.started_at -= for_seconds
    run.renewed_at -= silent_seconds
    return run


def during_a_job(engine: Engine, meanwhile: Callable[[Bench, Run], object]) -> tuple[UUID, bool]:
    """Let this happen while a job runs; the job's id, and whether its handler was told of a lost lease."""
    told: list[bool] = []

    def work(_job: Job) -> None:
        meanwhile(bench, run)
        told.append(lease_lost())

    bench = Bench(engine, registry(long_report=work), **PACE)
    id_ = bench.enqueue("long_report")
    (run,) = bench.claim()
    bench.run(run)
    return id_, told[0]


@pytest.mark.postgresql
def test_s2_129_a_handler_longer_than_its_lease_runs_once(engine: Engine, conn: Connection, start: Start) -> None:
    (id_,) = put(engine, "render_report")
    gate, calls = Gate(), list[Job]()

    def work(job: Job) -> None:
        calls.append(job)
        gate(job)

    for _ in range(2):
        start(SHORT, render_report=work)
    gate.await_entry()
    claimed = stored(conn, id_)
    three_leases_on = claimed.lease_expires_at + 2 * (claimed.lease_expires_at - claimed.locked_at)
    until(lambda: stored(conn, id_).lease_expires_at > three_leases_on)
    gate.free.set()
    until(lambda: stored(conn, id_).status == "succeeded")
    assert (len(calls), len(attempts(conn, id_))) == (1, 1)


def test_s2_130_past_the_limit_its_lease_is_not_renewed(bench: Bench, conn: Connection) -> None:
    late, well = running(bench, for_seconds=60), running(bench, for_seconds=59)
    bench.fence.tick()
    before = {run: stored(conn, run.job.id).lease_expires_at for run in (late, well)}
    bench.heartbeat.tick()
    moved = [run for run, lease in before.items() if stored(conn, run.job.id).lease_expires_at > lease]
    assert moved == [well]


def test_s2_131_the_handler_is_told(bench: Bench) -> None:
    run = running(bench, for_seconds=60)
    assert not run.signal.lease_lost
    bench.fence.tick()
    assert run.signal.lease_lost


def test_s2_132_an_error_is_logged(bench: Bench) -> None:
    run = running(bench, for_seconds=60)
    bench.fence.tick(), bench.fence.tick()
    (said,) = bench.said("job.overran")
    assert (said["log_level"], said["job_id"], said["max_runtime_seconds"]) == ("error", str(run.job.id), 60)


def test_s2_133_the_rest_of_its_batch_goes_back_unspent(bench: Bench, conn: Connection) -> None:
    running(bench, for_seconds=60)
    waiting = bench.enqueue("render_report")
    bench.claim()
    assert stored(conn, waiting).attempts == 1
    bench.fence.tick()
    bench.completer.tick()
    row = stored(conn, waiting)
    assert (row.status, row.attempts, row.locked_by, row.scheduled) == ("queued", 0, None, False)
    assert [each.outcome for each in attempts(conn, waiting)] == ["released"]


def test_s2_134_a_handler_that_hangs_keeps_its_thread_and_the_console_says_so(
    bench: Bench, visitor: Visitor, conn: Connection
) -> None:
    hung = [running(bench, for_seconds=60) for _ in range(2)]
    bench.fence.tick()
    assert bench.held.idle() == 0  # both threads are gone until their handlers return
    assert len(bench.said("job.overran")) == len(hung)
    ago = NOON - timedelta(hours=1)
    worker_instance(conn)
    job(conn, status=Status.RUNNING, locked_at=ago, job_type="stuck_report")
    assert "stuck_report has run for 1 h and does not end" in plain(visitor("viewer").get("/").text)


def test_s2_135_silence_of_a_lease_less_one_beat_tells_the_handler(bench: Bench) -> None:
    well, cut = running(bench, silent_seconds=19), running(bench, silent_seconds=20)
    bench.fence.tick()
    assert (well.signal.lease_lost, cut.signal.lease_lost) == (False, True)


@pytest.mark.postgresql
def test_s2_135_a_beat_that_reaches_nobody_renews_nothing(bench: Bench, engine: Engine) -> None:
    run = running(bench, silent_seconds=20)
    with outage(engine):
        with pytest.raises(Exception, match="connection"):
            bench.heartbeat.tick()
        bench.fence.tick()
    assert run.signal.lease_lost


def test_s2_136_a_stolen_lease_is_told_and_the_result_dropped(engine: Engine, conn: Connection) -> None:
    def steal(bench: Bench, run: Run) -> None:
        theirs = {"locked_by": "thief", "generation": run.job.generation + 1}
        conn.execute(update(platform_jobs).values(theirs))
        bench.heartbeat.tick()

    id_, told = during_a_job(engine, steal)
    row = stored(conn, id_)
    assert told
    assert (row.status, row.locked_by, row.generation) == ("running", "thief", 2)


def test_s2_137_an_abandoned_jobs_result_counts_while_the_claim_is_held(engine: Engine, conn: Connection) -> None:
    def overrun(bench: Bench, run: Run) -> None:
        assert run.started_at
        run.started_at -= 61
        bench.fence.tick()

    id_, told = during_a_job(engine, overrun)
    assert told
    assert stored(conn, id_).status == "succeeded"
