"""S2, leases: how long a worker may be silent, whatever its handlers do meanwhile."""

from __future__ import annotations

import signal
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import clock, sweep
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Bench, Gate, Start, nothing, put, registry, until
from tests.worker.runtime.process import worker_process
from worker.model import Status
from worker.queries.recovery import Recovered

SHORT = {"lease_seconds": 1.5, "heartbeat_interval_seconds": 0.3, "reaper_interval_seconds": 0.1}


def wait_three_leases(conn: Connection, since: datetime) -> None:
    """Until three times the lease has passed by the database's clock."""
    until(lambda: clock(conn) - since > timedelta(seconds=3 * SHORT["lease_seconds"]))


@pytest.mark.postgresql
def test_s2_52_a_dead_worker_holds_its_lease_until_it_ends(engine: Engine, conn: Connection, url: str) -> None:
    (id_,) = put(engine, "spin", payload={"seconds": 60})
    with worker_process(url, LEASE_SECONDS="300") as victim:
        until(lambda: stored(conn, id_).status == "running", 30)
        victim.signal(signal.SIGKILL)
        victim.wait()
    ends = stored(conn, id_).lease_expires_at
    assert sweep(conn, now=ends) == Recovered()
    assert stored(conn, id_).status == "running"
    assert sweep(conn, now=ends + timedelta(milliseconds=1)).requeued == [id_]


def test_s2_53_then_the_reaper_returns_the_job(conn: Connection) -> None:
    id_, later = job(conn, status=Status.RUNNING), NOON + timedelta(minutes=6)
    assert sweep(conn, now=later).requeued == [id_]
    row = stored(conn, id_)
    assert (row.status, row.available_at, row.locked_by) == ("queued", later, None)


def test_s2_54_or_makes_it_a_dead_letter_when_no_attempt_is_left(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING, attempts=5, max_attempts=5)
    assert sweep(conn, now=NOON + timedelta(minutes=6)).failed == [id_]
    assert stored(conn, id_).status == "failed"


@pytest.mark.postgresql
def test_s2_55_a_worker_that_lives_renews_its_leases(engine: Engine, conn: Connection, start: Start) -> None:
    gate = Gate()
    (id_,) = put(engine, "render_report")
    start(SHORT, render_report=gate)
    assert gate.entered.wait(10)
    wait_three_leases(conn, stored(conn, id_).locked_at)
    assert stored(conn, id_).status == "running"
    gate.free.set()
    until(lambda: stored(conn, id_).status == "succeeded")
    assert [each.outcome for each in attempts(conn, id_)] == ["completed"]


@pytest.mark.postgresql
def test_s2_56_that_includes_jobs_of_its_batch_that_still_wait(engine: Engine, conn: Connection, start: Start) -> None:
    gate = Gate()
    first, second, last = (put(engine, "render_report")[0] for _ in range(3))
    start({**SHORT, "worker_concurrency": 1}, slots=3, render_report=gate)
    assert gate.entered.wait(10)
    until(lambda: stored(conn, last).status == "running")
    wait_three_leases(conn, stored(conn, last).locked_at)
    gate.free.set()
    until(lambda: stored(conn, last).status == "succeeded")
    for id_ in (first, second, last):
        assert [each.outcome for each in attempts(conn, id_)] == ["completed"]


def test_s2_57_so_a_lease_bounds_silence_and_not_run_time(engine: Engine, conn: Connection) -> None:
    bench = Bench(engine, registry(render_report=nothing), lease_seconds=30)
    id_ = bench.enqueue("render_report")
    (run,) = bench.claim()
    granted = stored(conn, id_).lease_expires_at
    bench.heartbeat.tick()
    renewed = stored(conn, id_).lease_expires_at
    assert renewed > granted  # the beat alone moved it: the handler has not even begun
    assert sweep(conn, now=renewed) == Recovered()
    assert sweep(conn, now=renewed + timedelta(seconds=1)).requeued == [run.job.id]
