"""S1, recovery: a job outlives the worker that ran it, and no job is held by one that is gone."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select

from tests.conformance.acts import clock, jobs, sweep
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Start, nothing, put, settings, until
from tests.worker.runtime.process import end_leases, worker_process
from worker.model import Status
from worker.queries.recovery import Recovered
from worker.queries.schema import job_attempts

SENTENCE = "Recovered after worker lease expired."


def unleased(conn: Connection, **columns: object) -> object:
    """A running job of a worker that keeps no lease."""
    return job(conn, status=Status.RUNNING, lease_expires_at=None, **columns)


@pytest.mark.postgresql
def test_s1_110_a_worker_recovers_once_before_its_first_claim(conn: Connection, start: Start) -> None:
    ago = clock(conn) - timedelta(hours=1)
    lost = job(conn, status=Status.RUNNING, locked_by="gone", locked_at=ago, lease_expires_at=ago, created_at=ago)
    waiting = job(conn, created_at=ago - timedelta(hours=1), available_at=ago)
    start({"reaper_interval_seconds": 3600}, render_report=nothing)
    until(lambda: len(jobs(conn, status=Status.SUCCEEDED)) == 2)
    expired, *_ = attempts(conn, lost)
    first = min(each.claimed_at for each in conn.execute(select(job_attempts)) if each.worker_id != "gone")
    assert (expired.worker_id, expired.outcome) == ("gone", "lease_expired")
    assert expired.finished_at <= first <= attempts(conn, waiting)[0].finished_at


def test_s1_111_without_a_lease_the_age_of_the_lock_decides(conn: Connection) -> None:
    assert settings().job_stale_after_seconds == 900
    id_ = unleased(conn, locked_at=NOON)
    assert sweep(conn, now=NOON + timedelta(seconds=899)) == Recovered()
    assert sweep(conn, now=NOON + timedelta(seconds=901)).requeued == [id_]
    again = unleased(conn, locked_at=NOON)
    assert sweep(conn, now=NOON + timedelta(seconds=61), stale_after_seconds=60).requeued == [again]


def test_s1_112_without_a_lock_the_age_of_the_row_does(conn: Connection) -> None:
    id_ = unleased(conn, locked_at=None, locked_by=None, updated_at=NOON)
    assert sweep(conn, now=NOON + timedelta(seconds=899)) == Recovered()
    assert sweep(conn, now=NOON + timedelta(seconds=901)).requeued == [id_]


def test_s1_113_with_attempts_left_it_is_queued_again(conn: Connection) -> None:
    id_, later = job(conn, status=Status.RUNNING), NOON + timedelta(minutes=6)
    sweep(conn, now=later)
    row = stored(conn, id_)
    assert (row.status, row.attempts, row.available_at) == ("queued", 1, later)
    assert (row.locked_at, row.locked_by, row.lease_expires_at) == (None, None, None)


def test_s1_114_without_any_left_it_is_failed(conn: Connection) -> None:
    id_, later = job(conn, status=Status.RUNNING, attempts=5), NOON + timedelta(minutes=6)
    sweep(conn, now=later)
    row = stored(conn, id_)
    assert (row.status, row.attempts, row.finished_at) == ("failed", 5, later)


@pytest.mark.parametrize("spent", [1, 5])
def test_s1_115_either_way_it_says_so_in_one_sentence(conn: Connection, spent: int) -> None:
    id_ = job(conn, status=Status.RUNNING, attempts=spent)
    sweep(conn, now=NOON + timedelta(minutes=6))
    assert stored(conn, id_).error_detail == SENTENCE


@pytest.mark.postgresql
def test_s1_116_what_a_killed_worker_ran_is_finished_by_another(engine: Engine, conn: Connection, url: str) -> None:
    (id_,) = put(engine, "stall")
    with worker_process(url) as victim:
        until(lambda: stored(conn, id_).status == "running", 30)
        victim.signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
    assert stored(conn, id_).status == "running"
    end_leases(conn)
    with worker_process(url):
        until(lambda: stored(conn, id_).status == "succeeded", 30)
    killed, finished = attempts(conn, id_)
    assert (killed.outcome, killed.error, finished.outcome) == ("lease_expired", SENTENCE, "completed")
    assert killed.worker_id != finished.worker_id


@pytest.mark.postgresql
@pytest.mark.parametrize(("seconds", "grace", "becomes"), [(1, "30", "succeeded"), (3600, "0.5", "queued")])
def test_s1_117_a_graceful_stop_leaves_nothing_locked(
    engine: Engine, conn: Connection, url: str, seconds: float, grace: str, becomes: str
) -> None:
    (id_,) = put(engine, "spin", payload={"seconds": seconds})
    with worker_process(url, SHUTDOWN_GRACE_SECONDS=grace) as worker:
        until(lambda: "spinning" in worker.said(), 30)  # what is only claimed goes back unspent
        worker.signal(signal.SIGTERM)
        assert worker.wait() == 0
    row = stored(conn, id_)
    assert (row.status, row.locked_at, row.locked_by, row.lease_expires_at) == (becomes, None, None, None)
