"""Claim, renew and release: who holds a job, for how long, and who may write about it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, Text, cast, literal, text, update

from tests.factories import NOON, attempts, job, stored
from worker.database import Json
from worker.model import Job, Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.claims import claim, release, renew
from worker.queries.schema import platform_jobs

DANA = Actor("dana")


def take(conn: Connection, limit: int = 10, now: datetime = NOON, **selection: object) -> list[Job]:
    chosen = {"instance_id": "me", "job_types": ["render_report"], "queues": None, "after": ""} | selection
    return claim(conn, limit=limit, lease_seconds=300, now=now, **chosen)  # type: ignore[arg-type] # loose on purpose


def test_s1_34_to_43_a_claim_runs_counts_and_stamps_the_oldest_due_job(conn: Connection) -> None:
    old = job(conn, created_at=NOON - timedelta(hours=2))
    young = job(conn, created_at=NOON - timedelta(hours=1))
    (taken,) = take(conn, limit=1)
    row = stored(conn, old)
    assert taken.id == old
    assert (row.status, row.attempts, row.generation, row.locked_by) == ("running", 1, 1, "me")
    assert (row.locked_at, row.lease_expires_at) == (NOON, NOON + timedelta(seconds=300))
    assert stored(conn, young).status == "queued"


@pytest.mark.parametrize("status", [Status.RUNNING, Status.SUCCEEDED, Status.FAILED, Status.CANCELLED])
def test_s1_35_only_queued_jobs_are_claimed(conn: Connection, status: Status) -> None:
    job(conn, status=status)
    assert take(conn) == []


def test_s1_36_a_job_is_claimed_when_its_time_has_come(conn: Connection) -> None:
    job(conn, available_at=NOON + timedelta(seconds=60), scheduled=True)
    assert take(conn) == []
    assert len(take(conn, now=NOON + timedelta(seconds=61))) == 1


def test_s1_36_a_future_job_written_without_the_scheduled_mark_waits_too(conn: Connection) -> None:
    job(conn, available_at=NOON + timedelta(seconds=60))
    assert take(conn) == []


def test_s1_37_only_the_callers_types_are_claimed(conn: Connection) -> None:
    job(conn, job_type="other")
    assert take(conn) == []


def test_s1_38_an_older_retried_job_goes_first(conn: Connection) -> None:
    young = job(conn, created_at=NOON - timedelta(minutes=1))
    retried = job(conn, created_at=NOON - timedelta(hours=1), attempts=2, scheduled=True, available_at=NOON)
    assert [each.id for each in take(conn)] == [retried, young]


@pytest.mark.postgresql
def test_s1_39_and_40_a_locked_row_is_passed_over_without_waiting(engine: Engine, conn: Connection) -> None:
    first = job(conn, created_at=NOON - timedelta(hours=2))
    second = job(conn, created_at=NOON - timedelta(hours=1))
    with engine.begin() as other:
        other.execute(text("SELECT FROM control.platform_jobs WHERE id = :id FOR UPDATE"), {"id": first})
        assert [each.id for each in take(conn)] == [second]


def test_s2_29_four_workers_take_disjoint_jobs(engine: Engine, conn: Connection) -> None:
    for _ in range(200):
        job(conn)
    start = threading.Barrier(4)

    def drain(name: str) -> list[object]:
        start.wait()
        taken: list[object] = []
        while True:
            with engine.begin() as mine:
                batch = take(mine, limit=7, instance_id=name)
            if not batch:
                return taken
            taken += [each.id for each in batch]

    with ThreadPoolExecutor(4) as pool:
        taken = [id_ for each in pool.map(drain, "abcd") for id_ in each]
    assert len(taken) == len(set(taken)) == 200


def test_s2_34_to_36_queues_take_turns_from_the_cursor(conn: Connection) -> None:
    for queue in ("a", "b", "c"):
        for _ in range(2):
            job(conn, queue=queue)
    assert [each.queue for each in take(conn, limit=3, after="a")] == ["b", "b", "c"]
    assert [each.queue for each in take(conn, limit=3, after="c")] == ["a", "a", "c"]


def test_s2_30_to_36_an_allowlist_rotates_and_takes_nothing_else(conn: Connection) -> None:
    for queue in ("a", "b", "c", "ab"):
        job(conn, queue=queue)
    assert [each.queue for each in take(conn, queues=["c", "a"], after="a")] == ["c", "a"]


def test_a_paused_queue_is_passed_over_until_its_end(conn: Connection) -> None:
    for queue in ("a", "b", "c"):
        job(conn, queue=queue)
    until = NOON + timedelta(hours=1)
    assert queues.pause(conn, queue="b", actor=DANA, reason="provider down", until=until, now=NOON)
    assert [each.queue for each in take(conn, limit=5, after="a")] == ["c", "a"]
    assert [each.queue for each in take(conn, now=until)] == ["b"]


@pytest.mark.postgresql
def test_a_pause_that_comes_between_is_honoured_by_the_locked_select(engine: Engine, conn: Connection) -> None:
    job(conn, queue="b")
    queues.pause(conn, queue="b", actor=DANA, reason="now", now=NOON)
    with engine.begin() as mine:
        mine.execute(text("SET LOCAL enable_seqscan = off"))
        assert take(mine, queues=["b"]) == []


def test_a_35_the_payload_comes_as_text_so_an_unreadable_one_hurts_nobody(conn: Connection) -> None:
    deep = "[" * 1200 + "]" * 1200
    bad = job(conn, created_at=NOON - timedelta(hours=3))
    conn.execute(update(platform_jobs).values(payload=cast(literal(deep, Text), Json)))
    for _ in range(19):
        job(conn)
    taken = take(conn, limit=20)
    assert (len(taken), taken[0].id) == (20, bad)
    with pytest.raises(ValueError, match="payload unreadable"):
        _ = taken[0].payload


def test_s2_55_renewal_extends_every_lease_held_and_names_the_lost_ones(conn: Connection) -> None:
    job(conn), job(conn)
    mine, lost = take(conn)
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == lost.id).values(locked_by="other"))
    later = NOON + timedelta(seconds=100)
    renewed = renew(conn, instance_id="me", claims=[mine.claim, lost.claim], lease_seconds=300, now=later)
    assert renewed.keys() == {mine.id}
    assert stored(conn, mine.id).lease_expires_at == later + timedelta(seconds=300)
    assert stored(conn, mine.id).updated_at == NOON


def test_a_10_an_older_generation_renews_nothing(conn: Connection) -> None:
    job(conn)
    (mine,) = take(conn)
    claims = [(mine.id, mine.generation - 1)]
    assert renew(conn, instance_id="me", claims=claims, lease_seconds=300, now=NOON) == {}


def test_s2_133_a_release_gives_the_attempt_back_and_keeps_the_generation(conn: Connection) -> None:
    id_ = job(conn)
    (mine,) = take(conn)
    assert release(conn, instance_id="me", claims=[mine.claim], now=NOON) == {id_}
    row = stored(conn, id_)
    assert (row.status, row.attempts, row.generation, row.locked_by) == ("queued", 0, 1, None)
    (attempt,) = attempts(conn, id_)
    assert (attempt.outcome, attempt.started_at) == ("released", None)


def test_a_61_counters_stay_right_through_claims_and_releases(conn: Connection) -> None:
    id_ = job(conn)
    for _ in range(30):
        (mine,) = take(conn)
        release(conn, instance_id="me", claims=[mine.claim], now=NOON)
    row = stored(conn, id_)
    assert (row.attempts, row.generation, len(attempts(conn, id_))) == (0, 30, 30)


def test_a_51_what_never_started_and_was_to_stop_is_cancelled_when_it_is_given_back(conn: Connection) -> None:
    id_ = job(conn)
    (mine,) = take(conn)
    cancel(conn, job_ids=[id_], actor=DANA, reason=None, now=NOON)
    later = NOON + timedelta(seconds=1)
    assert release(conn, instance_id="me", claims=[mine.claim], now=later) == {id_}
    row, (attempt,) = stored(conn, id_), attempts(conn, id_)
    assert (row.status, row.finished_at, row.attempts, row.locked_by) == ("cancelled", later, 0, None)
    assert attempt.outcome == "released"
    assert take(conn, now=later) == []


def test_a_release_twice_does_nothing_more(conn: Connection) -> None:
    job(conn)
    (mine,) = take(conn)
    release(conn, instance_id="me", claims=[mine.claim], now=NOON)
    assert release(conn, instance_id="me", claims=[mine.claim], now=NOON) == set()
