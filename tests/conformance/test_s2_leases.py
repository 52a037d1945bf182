"""S2, leases: how long a worker may be silent, whatever its handlers do meanwhile."""

from __future__ import annotations

import signal
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import sweep
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Bench, Gate, Start, nothing, put, registry, until
from tests.worker.runtime.process import worker_process
from worker.model import Status
from worker.queries.recovery import Recovered

BEATS = {"heartbeat_interval_seconds": 0.2}


def await_three_renewals(conn: Connection, id_: UUID) -> None:
    """Until the lease was seen to end at four different times."""
    ends: set[datetime] = set()

    def renewed() -> bool:
        ends.add(stored(conn, id_).lease_expires_at)
        return len(ends) > 3

    until(renewed)


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
    start(BEATS, render_report=gate)
    gate.await_entry()
    await_three_renewals(conn, id_)
    assert stored(conn, id_).status == "running"
    gate.free.set()
    until(lambda: stored(conn, id_).status == "succeeded")
    assert [each.outcome for each in attempts(conn, id_)] == ["completed"]


@pytest.mark.postgresql
def test_s2_56_that_includes_jobs_of_its_batch_that_still_wait(engine: Engine, conn: Connection, start: Start) -> None:
    gate = Gate()
    first, second, last = (put(engine, "render_report")[0] for _ in range(3))
    start({**BEATS, "worker_concurrency": 1}, slots=3, render_report=gate)
    gate.await_entry()
    until(lambda: stored(conn, last).status == "running")
    await_three_renewals(conn, last)
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
