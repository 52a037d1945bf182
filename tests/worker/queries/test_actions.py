"""What operators press: replay, cancel, pause, drain. Twice is harmless, and each leaves its trace."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import IntegrityError

from tests.factories import NOON, attempts, job, stored, worker_instance
from tests.refusing import refusing
from worker.database import Row
from worker.failures import Failure
from worker.model import AttemptOutcome, Job, Status, new_id
from worker.queries import audit, cancellations, dead_letters, queues, workers
from worker.queries.audit import Actor
from worker.queries.claims import claim
from worker.queries.outcomes import finish
from worker.queries.recovery import recover
from worker.queries.results import Result
from worker.queries.schema import operator_action_jobs, operator_actions

DANA, MIRA = Actor("dana", "10.0.0.7", "req-1"), Actor("mira")
AGAIN = Failure("ValueError", "no such template", "ValueError: no such template", "f" * 16)


def claim_all(conn: Connection, now: datetime) -> list[Job]:
    wanted: dict[str, Any] = {"job_types": ["render_report"], "queues": None, "after": ""}
    return claim(conn, instance_id="me", limit=100, lease_seconds=300, now=now, **wanted)


def trail(conn: Connection) -> list[Row]:
    return list(conn.execute(select(operator_actions).order_by(operator_actions.c.id)))


def test_s2_104_a_replay_gives_a_new_budget_and_keeps_the_fence(conn: Connection) -> None:
    id_ = job(conn, status=Status.FAILED, steps_completed=["one"])
    answer = dead_letters.replay(conn, job_ids=[id_], actor=DANA, reason="template is back", now=NOON)
    row = stored(conn, id_)
    assert (answer.done, answer.skipped) == ([id_], [])
    assert (row.status, row.attempts, row.generation, row.replays) == ("queued", 0, 5, 1)
    assert (row.error_detail, row.finished_at, row.available_at) == (None, None, NOON)
    assert row.steps_completed == ["one"]


def test_a_52_of_fifty_presses_one_replays_and_the_trail_has_one_row(engine: Engine, conn: Connection) -> None:
    id_ = job(conn, status=Status.FAILED)

    def press(number: int) -> list[UUID]:
        with engine.begin() as mine:
            return dead_letters.replay(mine, job_ids=[id_], actor=(DANA, MIRA)[number % 2], reason=None).done

    with ThreadPoolExecutor(16) as pool:
        assert sum(len(done) for done in pool.map(press, range(50))) == 1
    assert stored(conn, id_).replays == 1
    assert len(trail(conn)) == 1


@pytest.mark.parametrize("status", [Status.QUEUED, Status.RUNNING, Status.SUCCEEDED, Status.CANCELLED])
def test_a_54_only_dead_letters_are_replayed(conn: Connection, status: Status) -> None:
    id_ = job(conn, status=status)
    before = stored(conn, id_)
    assert dead_letters.replay(conn, job_ids=[id_, new_id()], actor=DANA, reason=None).done == []
    assert (stored(conn, id_), trail(conn)) == (before, [])


def test_a_53_a_group_is_fixed_by_the_time_it_was_shown(conn: Connection) -> None:
    shown = job(conn, status=Status.FAILED)
    job(conn, status=Status.FAILED, finished_at=NOON + timedelta(seconds=1))
    job(conn, status=Status.FAILED, error_fingerprint="other")
    assert dead_letters.matching(conn, fingerprint="f" * 16, before=NOON) == [shown]


def test_a_53_a_group_that_dies_again_at_once_is_replayed_once(conn: Connection) -> None:
    ids = [job(conn, status=Status.FAILED, max_attempts=1, attempts=1) for _ in range(30)]
    later = NOON
    while some := dead_letters.matching(conn, fingerprint="f" * 16, before=NOON, limit=7):
        dead_letters.replay(conn, job_ids=some, actor=DANA, reason="all of them", now=NOON)
        later += timedelta(seconds=1)
        again = [Result(each, AttemptOutcome.DEAD_LETTER, 1, failure=AGAIN) for each in claim_all(conn, later)]
        finish(conn, instance_id="me", results=again, now=later)
    assert {stored(conn, each).replays for each in ids} == {1}
    assert len(dead_letters.matching(conn, fingerprint="f" * 16, before=later)) == 30


@pytest.mark.parametrize("status", [Status.QUEUED, Status.FAILED])
def test_a_job_that_does_not_run_is_cancelled_at_once(conn: Connection, status: Status) -> None:
    id_ = job(conn, status=status)
    assert cancellations.cancel(conn, job_ids=[id_], actor=DANA, reason="wrong", now=NOON).cancelled == [id_]
    row = stored(conn, id_)
    assert (row.status, row.finished_at) == ("cancelled", NOON)


def test_a_51_a_running_job_is_asked_to_stop_once(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING)
    assert cancellations.cancel(conn, job_ids=[id_], actor=DANA, reason=None, now=NOON).requested == [id_]
    assert cancellations.cancel(conn, job_ids=[id_], actor=MIRA, reason=None, now=NOON).skipped == [id_]
    row = stored(conn, id_)
    assert (row.status, row.cancel_requested_at, len(trail(conn))) == ("running", NOON, 1)


@pytest.mark.parametrize("status", [Status.SUCCEEDED, Status.CANCELLED])
def test_what_is_over_is_not_cancelled(conn: Connection, status: Status) -> None:
    id_ = job(conn, status=status)
    assert cancellations.cancel(conn, job_ids=[id_], actor=DANA, reason=None).skipped == [id_]
    assert trail(conn) == []


def test_a_23_bulk_replay_against_bulk_cancel_never_deadlocks(engine: Engine, conn: Connection) -> None:
    ids = [job(conn, status=Status.FAILED) for _ in range(60)]

    def press(number: int) -> None:
        with engine.begin() as mine:
            if number % 2:
                dead_letters.replay(mine, job_ids=ids, actor=DANA, reason=None)
            else:
                cancellations.cancel(mine, job_ids=ids[::-1], actor=MIRA, reason=None)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(press, range(24)))
    assert audit.verify(conn) is None


def test_a_81_the_action_and_its_row_stand_or_fall_together(engine: Engine) -> None:
    with engine.begin() as conn:
        id_ = job(conn, status=Status.FAILED)
    full = refusing(engine, "INSERT", "operator_actions", when="true")
    with full, pytest.raises(IntegrityError), engine.begin() as conn:
        dead_letters.replay(conn, job_ids=[id_], actor=DANA, reason=None)
    with engine.connect() as conn:
        assert (stored(conn, id_).status, trail(conn)) == ("failed", [])


def test_the_trail_says_who_what_why_and_which_jobs(conn: Connection) -> None:
    id_ = job(conn, status=Status.FAILED)
    dead_letters.replay(conn, job_ids=[id_], actor=DANA, reason="fixed in 2026.11.4", now=NOON)
    (row,) = trail(conn)
    assert (row.actor, row.action, row.outcome, row.reason, row.jobs) == (
        "dana", "replay", "done", "fixed in 2026.11.4", 1,
    )  # fmt: skip
    assert (row.at, row.address, row.request_id) == (NOON, "10.0.0.7", "req-1")
    assert conn.execute(select(operator_action_jobs.c.job_id)).scalars().all() == [id_]


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE control.operator_actions SET actor = 'mira' WHERE id = 2",
        "DELETE FROM control.operator_actions WHERE id = 2",
        "UPDATE control.operator_actions SET detail = '{\"a\": 1}' WHERE id = 2",
    ],
)
def test_a_row_that_was_changed_or_removed_is_found(conn: Connection, tampering: str) -> None:
    for number in range(4):
        audit.record(conn, actor=DANA, action="sign-in", detail={"n": number, "ö": "ü"})
    assert audit.verify(conn) is None
    conn.execute(text(tampering))
    assert audit.verify(conn) in (2, 3)


def test_a_pause_keeps_its_first_author_and_its_reason(conn: Connection) -> None:
    assert queues.pause(conn, queue="mail", actor=DANA, reason="provider down", now=NOON)
    assert not queues.pause(conn, queue="mail", actor=MIRA, reason="mine", now=NOON)
    assert queues.paused(conn, now=NOON)["mail"].paused_by == "dana"
    assert queues.resume(conn, queue="mail", actor=MIRA, now=NOON)
    assert not queues.resume(conn, queue="mail", actor=MIRA, now=NOON)
    assert [each.action for each in trail(conn)] == ["pause", "resume"]


def test_a_pause_that_lapsed_can_be_made_anew(conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=DANA, reason="a while", until=NOON + timedelta(hours=1), now=NOON)
    later = NOON + timedelta(hours=2)
    assert queues.paused(conn, now=later) == {}
    assert queues.pause(conn, queue="mail", actor=MIRA, reason="again", now=later)


def test_a_worker_is_asked_to_drain_once_and_hears_it_with_its_next_beat(conn: Connection) -> None:
    worker_instance(conn, "w-1")
    assert workers.request_drain(conn, instance_id="w-1", actor=DANA, now=NOON)
    assert not workers.request_drain(conn, instance_id="w-1", actor=DANA, now=NOON)
    instance = workers.Instance("w-1", "worker", ("render_report",), None, 8, 10)
    assert workers.beat(conn, instance=instance, now=NOON).drain_requested


def test_the_history_of_a_replayed_job_stays(conn: Connection) -> None:
    id_ = job(conn, status=Status.RUNNING, attempts=5)
    with conn.engine.begin() as mine:
        recover(mine, stale_after_seconds=900, now=NOON + timedelta(hours=1))
    dead_letters.replay(conn, job_ids=[id_], actor=DANA, reason=None)
    assert len(attempts(conn, id_)) == 1
