"""Recovery: nothing is lost with a worker, and nothing that lives is taken from it."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import IntegrityError

from tests.factories import NOON, attempts, claimed, job, stored, worker_instance
from tests.refusing import refusing
from worker.failures import RULE
from worker.model import RECOVERED, AttemptOutcome, Status
from worker.queries import grouping
from worker.queries.audit import Actor
from worker.queries.outcomes import finish
from worker.queries.recovery import Recovered, recover
from worker.queries.results import Result
from worker.queries.schema import platform_jobs as jobs
from worker.queries.schema import statistics_minutes as minutes
from worker.queries.schema import worker_instances

LATER = NOON + timedelta(minutes=6)


def sweep(conn: Connection, limit: int = 100) -> Recovered:
    with conn.engine.begin() as mine:
        return recover(mine, stale_after_seconds=900, limit=limit, now=LATER)


def test_s1_113_and_115_a_lost_job_with_attempts_left_is_queued_again(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING)
    assert sweep(conn).requeued == [id_]
    row, (attempt,) = stored(conn, id_), attempts(conn, id_)
    assert (row.status, row.available_at, row.error_detail) == ("queued", LATER, RECOVERED)
    assert (row.locked_by, row.locked_at, row.lease_expires_at, row.attempts) == (None, None, None, 1)
    assert (attempt.outcome, attempt.worker_id, attempt.error) == ("lease_expired", "worker-1", RECOVERED)


def test_s1_114_a_lost_job_without_attempts_left_is_a_dead_letter_in_a_group_of_its_handler(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING, attempts=5)
    assert sweep(conn).failed == [id_]
    row = stored(conn, id_)
    assert (row.status, row.finished_at, row.error_fingerprint) == ("failed", LATER, "lease-expired:render_report")
    assert row.error_detail == "Recovered after worker lease expired."
    assert (row.error_alike, row.error_rule) == (RECOVERED, RULE)


def test_what_dies_with_its_worker_is_in_the_group_that_those_joined_at_once(conn: Connection) -> None:
    died, again = (job(conn, status=Status.RUNNING, attempts=5, max_attempts=most) for most in (5, 6))
    own, joined = "lease-expired:render_report", "b" * 16
    grouping.merge(conn, fingerprint=own, into=joined, actor=Actor("lee"), now=NOON)
    sweep(conn)
    assert [stored(conn, each).error_fingerprint for each in (died, again)] == [joined, own]


def test_s1_111_a_lease_that_lives_wins_over_an_old_lock(conn: Connection) -> None:
    old = {"locked_at": NOON - timedelta(hours=3), "lease_expires_at": LATER + timedelta(seconds=1)}
    id_ = job(conn, status=Status.RUNNING, **old)
    assert sweep(conn) == Recovered()
    assert stored(conn, id_).status == "running"


@pytest.mark.parametrize(("age", "found"), [(899, False), (901, True)])
def test_s1_111_and_112_without_a_lease_the_age_of_the_lock_or_of_the_row_decides(
    conn: Connection, age: int, found: bool
) -> None:
    then = LATER - timedelta(seconds=age)
    job(conn, status=Status.RUNNING, locked_at=then, lease_expires_at=None)
    job(conn, status=Status.RUNNING, locked_at=None, locked_by=None, lease_expires_at=None, updated_at=then)
    assert len(sweep(conn).requeued) == (2 if found else 0)


def test_a_13_every_shape_of_a_lost_lock_can_be_claimed_after_recovery(conn: Connection) -> None:
    long_ago = NOON - timedelta(hours=2)
    ids = [
        job(conn, status=Status.RUNNING),
        job(conn, status=Status.RUNNING, locked_at=long_ago, lease_expires_at=None),
        job(conn, status=Status.RUNNING, locked_at=None, lease_expires_at=None, updated_at=long_ago),
    ]
    assert sorted(sweep(conn).requeued) == sorted(ids)
    for id_ in ids:
        row = stored(conn, id_)
        assert (row.locked_by, row.locked_at, row.lease_expires_at, row.status) == (None, None, None, "queued")


@pytest.mark.postgresql
@pytest.mark.parametrize(
    "change",
    [
        "lease_expires_at = '2026-11-29 13:00+00'",
        "generation = 2, locked_by = 'other', lease_expires_at = '2026-11-29 13:00+00'",
        "status = 'succeeded', finished_at = now(), locked_by = NULL, locked_at = NULL, lease_expires_at = NULL",
    ],
)
def test_a_01_a_row_that_another_session_is_changing_is_left_alone(
    engine: Engine, conn: Connection, change: str
) -> None:
    id_ = job(conn, status=Status.RUNNING)
    with engine.begin() as other:
        other.execute(text(f"UPDATE control.platform_jobs SET {change}"))
        assert sweep(conn) == Recovered()
    before = stored(conn, id_)
    assert sweep(conn) == Recovered()
    assert stored(conn, id_) == before


def test_a_03_a_lost_job_is_found_though_its_worker_is_no_longer_known(conn: Connection) -> None:
    worker_instance(conn, "worker-1")
    ids = [job(conn, status=Status.RUNNING, locked_by="worker-1") for _ in range(5)]
    conn.execute(worker_instances.delete())
    assert sorted(sweep(conn).requeued) == sorted(ids)


@pytest.mark.parametrize("column", ["locked_by", "locked_at", "lease_expires_at"])
@pytest.mark.parametrize("status", [Status.QUEUED, Status.SUCCEEDED, Status.FAILED, Status.CANCELLED])
def test_a_13_what_does_not_run_cannot_be_locked(conn: Connection, status: Status, column: str) -> None:
    with pytest.raises(IntegrityError, match="lock"):
        job(conn, status=status, **{column: "worker-1" if column == "locked_by" else NOON})


def test_a_11_one_row_that_cannot_be_moved_does_not_stop_the_others(engine: Engine) -> None:
    with engine.begin() as conn:
        ids = [job(conn, status=Status.RUNNING) for _ in range(20)]
    with refusing(engine, "UPDATE", "platform_jobs", when=f"new.id = '{ids[7]}'"), engine.connect() as conn:
        answer = sweep(conn)
    assert (len(answer.requeued), list(answer.refused)) == (19, [ids[7]])
    assert re.search("CheckViolation|SQLITE_CONSTRAINT", answer.refused[ids[7]])


def test_a_50_a_lost_job_that_was_to_be_cancelled_is_cancelled(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING, cancel_requested_at=NOON)
    assert sweep(conn).cancelled == [id_]
    assert stored(conn, id_).status == "cancelled"


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ({}, "lease_expired"),
        ({"attempts": 5}, "dead_letter"),
        ({"cancel_requested_at": NOON}, "cancelled"),
    ],
)
def test_what_a_lost_attempt_came_to_is_counted(conn: Connection, columns: dict[str, Any], outcome: str) -> None:
    waited = {"created_at": NOON - timedelta(seconds=2), "available_at": NOON - timedelta(seconds=1)}
    for _ in range(3):
        job(conn, status=Status.RUNNING, queue="mail", **waited, **columns)
    sweep(conn)
    (minute,) = conn.execute(select(minutes))
    assert (minute.minute, minute.handler_key, minute.queue) == (LATER, "render_report", "mail")
    assert (minute.outcome, minute.jobs, minute.run_ms, minute.wait_ms) == (outcome, 3, 0, 3000)


def test_what_is_left_alone_is_not_counted(engine: Engine) -> None:
    with engine.begin() as conn:
        ids = [job(conn, status=Status.RUNNING) for _ in range(2)]
    with refusing(engine, "UPDATE", "platform_jobs", when=f"new.id = '{ids[0]}'"), engine.connect() as conn:
        sweep(conn)
        assert conn.execute(select(minutes.c.jobs)).scalars().all() == [1]


@pytest.mark.postgresql
def test_a_pass_and_a_worker_that_count_the_same_minute_never_deadlock(engine: Engine) -> None:
    with engine.begin() as conn:
        for number in range(40):
            job(conn, status=Status.RUNNING, job_type="ab"[number % 2])
        mine = [job(conn, status=Status.RUNNING, job_type="ba"[number % 2], locked_by="me") for number in range(40)]
        conn.execute(jobs.update().where(jobs.c.id.in_(mine)).values(lease_expires_at=LATER + timedelta(hours=1)))
    both = Barrier(2)

    def reap() -> None:
        with engine.connect() as conn:
            both.wait()
            while sweep(conn, limit=2).requeued:
                pass

    def work() -> None:
        both.wait()
        for first in range(0, 40, 2):
            with engine.begin() as conn:
                held = [claimed(conn, id_) for id_ in mine[first : first + 2]]
                results = [Result(each, AttemptOutcome.COMPLETED, run_ms=1) for each in held]
                assert len(finish(conn, instance_id="me", results=results, now=LATER)) == 2

    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(reap), pool.submit(work)]:
            each.result(30)
    with engine.connect() as conn:
        assert conn.execute(select(func.sum(minutes.c.jobs))).scalar_one() == 80


def test_a_pass_is_bounded(conn: Connection) -> None:
    for _ in range(5):
        job(conn, status=Status.RUNNING)
    assert len(sweep(conn, limit=3).requeued) == 3
