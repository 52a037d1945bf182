"""Acts that take their time: what happens to a job before its move, and to a group while the act is judged."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert

from tests.factories import NOON, job, stored, worker_instance
from tests.worker.queries.bulk_acts.desk import DANA, MIRA, SAME, claimed, die, now_of, press, ran, rated, states, step
from worker.failures import Failure, exact_fingerprint
from worker.model import AttemptOutcome, Status
from worker.queries import dead_letters
from worker.queries.bulk_acts import acts, undo, work
from worker.queries.bulk_acts.acts import Action, Mode
from worker.queries.outcomes import finish
from worker.queries.results import Result
from worker.queries.schema import dead_letter_groups

SECOND = timedelta(seconds=1)
REPLAYED = "the first one was cancelled or replayed by somebody else, or is gone"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (acts, work, undo):
        monkeypatch.setattr(module, "AT_ONCE", 1)


def tried(conn: Connection) -> None:
    """Let a worker take all that is due and fail, so that it is tried again in an hour."""
    taken = claimed(conn, NOON)
    results = [Result(each, AttemptOutcome.FAILED, 1, retry_delay_seconds=3600, failure=SAME) for each in taken]
    finish(conn, instance_id="me", results=results, now=NOON)


def grouped(conn: Connection, fingerprint: str, **columns: object) -> None:
    row = {"fingerprint": fingerprint, "updated_at": NOON, "updated_by": "lee"}
    conn.execute(insert(dead_letter_groups), row | columns)


def undone(conn: Connection, act_id: UUID, seconds: int) -> int:
    with conn.engine.begin() as mine:
        back = undo.undo(mine, act_id=act_id, actor=MIRA, now=NOON + seconds * SECOND)
    assert back is not None
    return int(back.undone)


@pytest.mark.usefixtures("small")
def test_a_job_that_was_tried_between_its_choice_and_its_move_can_be_put_back(conn: Connection) -> None:
    ids = sorted(job(conn) for _ in range(2))
    act = press(conn, ids, action=Action.CANCEL)
    tried(conn)
    before = stored(conn, ids[0])
    step(conn, NOON + SECOND)
    assert stored(conn, ids[0]).status == "cancelled"
    assert undone(conn, act.id, 2) == 1
    assert (stored(conn, ids[0]).attempts, stored(conn, ids[0]).available_at) == (1, before.available_at)


@pytest.mark.usefixtures("small")
def test_undo_forgets_no_replay_of_somebody_else(conn: Connection) -> None:
    ids = sorted(job(conn) for _ in range(2))
    act = press(conn, ids, action=Action.REASSIGN, to_queue="slow")
    ran(conn, NOON, SAME)
    dead_letters.replay(conn, job_ids=ids, actor=DANA, reason=None, now=NOON)
    step(conn, NOON + SECOND)
    assert undone(conn, act.id, 2) == 1
    assert (stored(conn, ids[0]).queue, stored(conn, ids[0]).replays) == ("default", 1)


def test_the_others_do_not_wait_for_ever_for_a_first_one_that_somebody_replayed_again(conn: Connection) -> None:
    dead = sorted(die(conn) for _ in range(3))
    act = press(conn, dead, mode=Mode.ONE_FIRST, undo_seconds=0)
    step(conn, NOON)
    ran(conn, NOON, SAME)
    dead_letters.replay(conn, job_ids=dead[:1], actor=MIRA, reason=None, now=NOON)
    step(conn, NOON + SECOND)
    assert (now_of(conn, act).state, now_of(conn, act).why) == ("stopped", REPLAYED)


@pytest.mark.parametrize("kept_apart", [False, True])
def test_a_letter_that_dies_again_of_what_put_it_into_its_group_has_the_same_error(
    conn: Connection, kept_apart: bool
) -> None:
    own = exact_fingerprint("render_report", SAME.error_type, SAME.summary) if kept_apart else "a" * 16
    grouped(conn, SAME.fingerprint, is_split=kept_apart, merged_into=None if kept_apart else own)
    act = press(conn, [die(conn, error_fingerprint=own) for _ in range(2)], mode=Mode.ONE_FIRST, undo_seconds=0)
    step(conn, NOON)
    ran(conn, NOON, SAME)
    step(conn, NOON + SECOND)
    assert (now_of(conn, act).state, now_of(conn, act).why) == ("stopped", "the first one failed with the same error")


def test_errors_of_groups_that_were_put_together_are_alike(conn: Connection) -> None:
    other = Failure("ValueError", "no template", "ValueError: no template", "b" * 16)
    grouped(conn, other.fingerprint, merged_into=SAME.fingerprint)
    act = rated(conn, [die(conn) for _ in range(6)], 1, stop_after=2)
    for second, failure in enumerate((SAME, other, SAME)):
        step(conn, NOON + second * SECOND)
        ran(conn, NOON + second * SECOND, failure)
    assert (now_of(conn, act).state, now_of(conn, act).same_error) == ("stopped", 2)


def test_a_request_that_the_worker_has_heard_is_not_taken_back(conn: Connection) -> None:
    heard, unheard = job(conn, status=Status.RUNNING), job(conn, status=Status.RUNNING, locked_by="worker-2")
    for name, seconds in (("worker-1", 1), ("worker-2", -9)):
        worker_instance(conn, instance_id=name, last_heartbeat_at=NOON + seconds * SECOND)
    act = press(conn, [heard, unheard], action=Action.CANCEL)
    assert undone(conn, act.id, 2) == 1
    assert stored(conn, heard).cancel_requested_at is not None
    assert stored(conn, unheard).cancel_requested_at is None
    assert now_of(conn, act).asked == 1
    assert sorted(states(conn, act), key=str) == [("done", "heard"), ("undone", None)]


def test_a_rate_is_kept_by_a_loop_that_comes_late(conn: Connection) -> None:
    act = rated(conn, [die(conn) for _ in range(40)], 1)
    for tick in range(12):
        step(conn, NOON + tick * 1.75 * SECOND)
    assert now_of(conn, act).done == 20  # in 19.25 seconds, the first second beforehand


def test_an_act_that_goes_on_has_not_ended(conn: Connection) -> None:
    dead = [die(conn) for _ in range(3)]
    act = press(conn, dead, mode=Mode.RATE, rate=1, stop_after=1, undo_seconds=0)
    for second in range(2):
        step(conn, NOON + second * SECOND)
        ran(conn, NOON + second * SECOND, SAME)
    assert now_of(conn, act).state == "stopped"
    going = work.resume(conn, act_id=act.id, actor=MIRA, now=NOON + 5 * SECOND)
    assert going is not None
    assert (going.state, going.ended_at, going.ended_by) == ("moving", None, None)
