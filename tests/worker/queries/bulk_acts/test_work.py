"""An act on many jobs: chosen once, moved at once or bit by bit, and never one job twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import IntegrityError

from tests.factories import NOON, job, stored
from tests.refusing import refusing
from tests.worker.queries.bulk_acts.desk import (
    DANA,
    MIRA,
    NEW,
    SAME,
    claimed,
    die,
    now_of,
    press,
    ran,
    rated,
    states,
    statuses,
    step,
    steps,
    told,
)
from worker.model import Status, new_id
from worker.queries import audit, dead_letters
from worker.queries.bulk_acts import acts, work
from worker.queries.bulk_acts.acts import Mode
from worker.queries.schema import operator_actions

SECOND = timedelta(seconds=1)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one transaction moves, made so small that a handful is a large set."""
    for module in (acts, work):
        monkeypatch.setattr(module, "AT_ONCE", 2)


def test_what_can_be_moved_is_and_the_rest_says_why(conn: Connection) -> None:
    dead = [die(conn) for _ in range(2)]
    others = [job(conn, status=status) for status in Status if status != Status.FAILED]
    act = press(conn, [*dead, *others])
    assert (act.state, act.chosen, act.done, act.skipped, act.failed) == ("done", 6, 2, 4, 0)
    assert act.reasons == {"queued": 1, "running": 1, "succeeded": 1, "cancelled": 1}
    assert statuses(conn, dead) == ["queued", "queued"]
    assert told(conn, act.action_id) == set(dead)


def test_a_replayed_job_is_due_once_it_cannot_be_undone_any_more(conn: Connection) -> None:
    press(conn, [die(conn)])
    assert claimed(conn, NOON + 7 * SECOND) == []
    assert len(claimed(conn, NOON + 8 * SECOND)) == 1


def test_an_act_that_moved_nothing_leaves_no_row_in_the_trail(conn: Connection) -> None:
    act = press(conn, [job(conn)])
    assert (act.state, act.done, act.skipped, act.action_id) == ("done", 0, 1, None)
    assert conn.execute(select(operator_actions)).all() == []


def test_jobs_that_the_form_had_spoken_of_and_that_are_gone_are_counted(conn: Connection) -> None:
    assert press(conn, [die(conn)], shown=1).missed == 0
    gone = press(conn, [new_id()], shown=3)
    assert (gone.state, gone.chosen, gone.missed) == ("done", 0, 3)


@pytest.mark.usefixtures("small")
def test_a_large_set_is_moved_step_by_step_and_each_job_is_told_under_one_row_of_the_trail(conn: Connection) -> None:
    dead = [die(conn) for _ in range(5)]
    act = press(conn, dead)
    assert (act.state, act.chosen, act.done) == ("moving", 5, 0)
    assert statuses(conn, dead) == ["failed"] * 5
    counts = []
    while now_of(conn, act).state == "moving":
        assert step(conn, NOON) is not None
        counts.append(now_of(conn, act).done)
    assert counts == [2, 4, 5]
    assert told(conn, act.action_id) == set(dead)
    (row,) = conn.execute(select(operator_actions)).all()
    assert (row.action, row.actor, row.reason, row.jobs) == ("replay", "dana", "fixed", 5)
    assert audit.verify(conn) is None


@pytest.mark.usefixtures("small")
def test_a_set_keeps_the_jobs_it_was_chosen_with(conn: Connection) -> None:
    shown = [die(conn) for _ in range(3)]
    act = press(conn, shown)
    later = die(conn)
    steps(conn, NOON)
    assert statuses(conn, [*shown, later]) == ["queued"] * 3 + ["failed"]
    assert now_of(conn, act).chosen == 3


@pytest.mark.usefixtures("small")
def test_a_52_what_somebody_else_replayed_meanwhile_is_not_replayed_again(conn: Connection) -> None:
    dead = [die(conn) for _ in range(3)]
    act = press(conn, dead)
    dead_letters.replay(conn, job_ids=dead[:2], actor=MIRA, reason=None, now=NOON)
    assert ran(conn, NOON, SAME) == 2
    steps(conn, NOON + SECOND)
    assert [stored(conn, each).replays for each in dead] == [1, 1, 1]
    assert statuses(conn, dead) == ["failed", "failed", "queued"]
    assert now_of(conn, act).reasons == {"replayed": 2}


@pytest.mark.usefixtures("small")
def test_an_aborted_act_leaves_the_rest_and_says_by_whom(conn: Connection) -> None:
    dead = [die(conn) for _ in range(5)]
    act = press(conn, dead)
    step(conn, NOON)
    stopped = work.abort(conn, act_id=act.id, actor=MIRA, now=NOON)
    assert stopped is not None
    assert (stopped.state, stopped.ended_by, stopped.done) == ("aborted", "mira", 2)
    steps(conn, NOON)
    assert sorted(statuses(conn, dead)) == ["failed"] * 3 + ["queued"] * 2
    assert work.abort(conn, act_id=act.id, actor=DANA, now=NOON) is None


@pytest.mark.usefixtures("small")
def test_a_step_that_is_broken_off_leaves_nothing_and_is_taken_again(engine: Engine, conn: Connection) -> None:
    dead = [die(conn) for _ in range(3)]
    act = press(conn, dead)
    with refusing(engine, "INSERT", "operator_action_jobs", when="true"), pytest.raises(IntegrityError):
        step(conn, NOON)
    assert statuses(conn, dead) == ["failed"] * 3
    assert (now_of(conn, act).done, now_of(conn, act).moved_place) == (0, 0)
    steps(conn, NOON)
    assert [stored(conn, each).replays for each in dead] == [1, 1, 1]


@pytest.mark.usefixtures("small")
def test_many_processes_take_the_steps_and_no_job_is_moved_twice(engine: Engine, conn: Connection) -> None:
    dead = [die(conn) for _ in range(24)]
    sets = [press(conn, dead[:16]), press(conn, dead[8:])]

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: step(conn, NOON), range(40)))
    steps(conn, NOON)
    assert {stored(conn, each).replays for each in dead} == {1}
    ended = [now_of(conn, each) for each in sets]
    assert [each.state for each in ended] == ["done", "done"]
    assert sum(each.done for each in ended) == 24
    assert sum(each.skipped for each in ended) == 8


def test_one_job_that_the_database_refuses_fails_alone(engine: Engine, conn: Connection) -> None:
    dead = [die(conn, queue=name) for name in ("mail", "bad", "mail")]
    with refusing(engine, "UPDATE", "platform_jobs", when="new.queue = 'bad'"):
        act = press(conn, dead)
    assert (act.done, act.failed) == (2, 1)
    assert sorted(state for state, _ in states(conn, act)) == ["done", "done", "failed"]
    assert statuses(conn, dead) == ["queued", "failed", "queued"]


def test_one_first_goes_on_with_the_rest_once_it_passed(conn: Connection) -> None:
    dead = [die(conn) for _ in range(4)]
    act = press(conn, dead, mode=Mode.ONE_FIRST, undo_seconds=0)
    step(conn, NOON)
    assert sorted(statuses(conn, dead)) == ["failed"] * 3 + ["queued"]
    step(conn, NOON + SECOND)
    assert now_of(conn, act).state == "trial"
    assert ran(conn, NOON + SECOND) == 1
    step(conn, NOON + 2 * SECOND)
    step(conn, NOON + 2 * SECOND)
    assert (now_of(conn, act).state, now_of(conn, act).passed) == ("done", 1)
    assert sorted(statuses(conn, dead)) == ["queued"] * 3 + ["succeeded"]


@pytest.mark.parametrize(("failure", "words"), [(SAME, "the same error"), (NEW, "a new error")])
def test_one_first_stops_when_it_fails_and_can_be_gone_on_with(conn: Connection, failure: object, words: str) -> None:
    dead = [die(conn) for _ in range(3)]
    act = press(conn, dead, mode=Mode.ONE_FIRST, undo_seconds=0)
    step(conn, NOON)
    ran(conn, NOON, failure)  # type: ignore[arg-type] # one of two constants
    step(conn, NOON + SECOND)
    stopped = now_of(conn, act)
    assert (stopped.state, stopped.why) == ("stopped", f"the first one failed with {words}")
    assert conn.execute(select(operator_actions.c.action).order_by(operator_actions.c.id)).scalars().all() == [
        "replay",
        "stop",
    ]
    assert [stored(conn, each).replays for each in sorted(dead)] == [1, 0, 0]
    assert work.resume(conn, act_id=act.id, actor=MIRA, now=NOON + SECOND) is not None
    step(conn, NOON + SECOND)
    assert now_of(conn, act).state == "done"
    assert [stored(conn, each).replays for each in sorted(dead)] == [1, 1, 1]


def test_the_first_of_a_trial_is_the_first_that_can_be_moved(conn: Connection) -> None:
    dead = sorted(die(conn) for _ in range(3))
    act = press(conn, dead, mode=Mode.ONE_FIRST)
    dead_letters.replay(conn, job_ids=dead[:1], actor=MIRA, reason=None, now=NOON)
    for second in range(3):
        step(conn, NOON + second * SECOND)
    assert (now_of(conn, act).state, now_of(conn, act).done, now_of(conn, act).skipped) == ("trial", 1, 1)


def test_a_rate_is_kept_whatever_the_loop_missed(conn: Connection) -> None:
    dead = [die(conn) for _ in range(12)]
    act = rated(conn, dead, 3)
    done = []
    for second in (0, 1, 2, 3600):
        step(conn, NOON + second * SECOND)
        done.append(now_of(conn, act).done)
    assert done == [3, 6, 9, 12]


def test_a_rate_makes_good_three_seconds_of_an_outage_at_most(conn: Connection) -> None:
    act = rated(conn, [die(conn) for _ in range(20)], 3)
    for second in (0, 3600):
        step(conn, NOON + second * SECOND)
    assert now_of(conn, act).done == 12


def test_it_stops_by_itself_after_so_many_failures_with_the_same_error(conn: Connection) -> None:
    dead = [die(conn) for _ in range(20)]
    act = rated(conn, dead, 2, stop_after=3)
    for second in range(8):
        step(conn, NOON + second * SECOND)
        ran(conn, NOON + second * SECOND, NEW)
    ended = now_of(conn, act)
    assert (ended.state, ended.why, ended.done, ended.new_error) == ("stopped", "4 failed with the same error", 4, 4)
    assert statuses(conn, dead).count("failed") == 20


def test_it_does_not_stop_for_errors_that_differ(conn: Connection) -> None:
    dead = [die(conn) for _ in range(4)]
    act = rated(conn, dead, 1, stop_after=3)
    for second in range(6):
        step(conn, NOON + second * SECOND)
        ran(conn, NOON + second * SECOND, SAME if second % 2 else NEW)
    ended = now_of(conn, act)
    assert (ended.state, ended.done, ended.same_error, ended.new_error) == ("done", 4, 2, 2)


def test_what_became_of_the_jobs_is_told_afterwards(conn: Connection) -> None:
    act = press(conn, [die(conn) for _ in range(3)], undo_seconds=0)
    for second, failure in ((1, None), (2, SAME), (3, NEW)):
        assert ran(conn, NOON + second * SECOND, failure, limit=1) == 1
        step(conn, NOON + 10 * second * SECOND)
    told = now_of(conn, act)
    assert (told.passed, told.same_error, told.new_error) == (1, 1, 1)
    assert told.next_at is not None
    step(conn, NOON + timedelta(hours=7))
    assert now_of(conn, act).next_at is None
