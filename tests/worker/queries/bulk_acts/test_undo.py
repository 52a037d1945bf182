"""Undo puts back what nobody moved since; whatever happened to a job in between, stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, update

from tests.factories import NOON, job, stored
from tests.worker.queries.bulk_acts.desk import DANA, MIRA, claimed, die, now_of, press, states, statuses, step, steps
from worker.database import Row
from worker.model import Status
from worker.queries import audit, cancellations
from worker.queries.bulk_acts import acts, undo, work
from worker.queries.bulk_acts.acts import Action
from worker.queries.schema import operator_actions, platform_jobs

SOON, LATER = NOON + timedelta(seconds=3), NOON + timedelta(minutes=5)
KEPT = {"updated_at"}
"""What a job that was put back has of its own."""


def undone(conn: Connection, act: Row, *, at: Any = SOON) -> Row | None:
    with conn.engine.begin() as mine:
        return undo.undo(mine, act_id=act.id, actor=MIRA, now=at)


def known(conn: Connection, job_id: UUID) -> dict[str, Any]:
    return {name: value for name, value in stored(conn, job_id)._asdict().items() if name not in KEPT}


@pytest.mark.parametrize(
    ("action", "columns"),
    [
        (Action.REPLAY, {"status": Status.FAILED, "replays": 2, "error_alike": "no such ‹text›", "error_rule": 1}),
        (Action.CANCEL, {"status": Status.FAILED}),
        (Action.CANCEL, {"available_at": LATER, "scheduled": True, "attempts": 2}),
        (Action.CANCEL, {"status": Status.RUNNING}),
        (Action.RUN, {"available_at": LATER, "scheduled": True}),
        (Action.REASSIGN, {"queue": "mail"}),
    ],
)
def test_a_job_is_again_what_it_was(conn: Connection, action: Action, columns: dict[str, Any]) -> None:
    id_ = job(conn, **columns)
    before = known(conn, id_)
    act = press(conn, [id_], action=action, to_queue="slow" if action == Action.REASSIGN else None)
    assert known(conn, id_) != before
    back = undone(conn, act)
    assert back is not None
    assert (back.state, back.done, back.undone, back.ended_by) == ("undone", 0, 1, "mira")
    assert known(conn, id_) == before
    done, taken_back = conn.execute(select(operator_actions).order_by(operator_actions.c.id)).all()
    assert (done.actor, taken_back.actor, taken_back.action, taken_back.jobs) == ("dana", "mira", "undo", 1)
    assert audit.verify(conn) is None


def test_the_console_may_make_a_dead_letter_again_by_undoing_only(conn: Connection, console_rw: Engine) -> None:
    id_ = die(conn)
    act = press(conn, [id_])
    with console_rw.begin() as mine:
        assert undo.undo(mine, act_id=act.id, actor=DANA, now=SOON) is not None
    assert stored(conn, id_).status == "failed"


def test_what_a_worker_has_begun_is_left_to_it(conn: Connection) -> None:
    begun, waiting = die(conn), die(conn, queue="slow")
    act = press(conn, [begun, waiting])
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == waiting).values(available_at=LATER))
    assert [each.id for each in claimed(conn, NOON + timedelta(seconds=9))] == [begun]
    back = undone(conn, act, at=NOON + timedelta(seconds=10))
    assert back is not None
    assert (back.done, back.undone) == (1, 1)
    assert statuses(conn, [begun, waiting]) == ["running", "failed"]
    assert sorted(states(conn, act), key=str) == [("done", "begun"), ("undone", None)]


def test_what_somebody_else_moved_since_is_left_to_them(conn: Connection) -> None:
    id_ = die(conn)
    act = press(conn, [id_])
    cancellations.cancel(conn, job_ids=[id_], actor=DANA, reason=None, now=NOON + timedelta(seconds=1))
    back = undone(conn, act)
    assert back is not None
    assert (back.undone, stored(conn, id_).status) == (0, "cancelled")


def test_of_two_who_undo_one_does_and_nothing_is_restored_twice(conn: Connection) -> None:
    ids = [die(conn) for _ in range(10)]
    act = press(conn, ids)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: undone(conn, act), range(8)))
    assert sum(each is not None for each in answers) == 1
    assert statuses(conn, ids) == ["failed"] * 10
    assert [row.action for row in conn.execute(select(operator_actions))] == ["replay", "undo"]


def test_a_claim_and_an_undo_at_once_leave_each_job_to_one_of_them(engine: Engine, conn: Connection) -> None:
    ids = [die(conn) for _ in range(30)]
    act = press(conn, ids)
    due = NOON + timedelta(seconds=8)

    def take(_: int) -> list[UUID]:
        with engine.begin() as mine:
            return [each.id for each in claimed(mine, due, limit=5)]

    with ThreadPoolExecutor(4) as pool:
        taken = [pool.submit(take, number) for number in range(3)]
        back = pool.submit(undone, conn, act, at=due)
        taken += [pool.submit(take, number) for number in range(3)]
        running = {each for part in taken for each in part.result()}
        found = back.result()
    assert found is not None
    assert found.undone + found.done == 30
    assert {each for each in ids if stored(conn, each).status == "running"} == running
    assert {stored(conn, each).status for each in set(ids) - running} <= {"failed"}
    assert found.undone == 30 - len(running)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (acts, work, undo):
        monkeypatch.setattr(module, "AT_ONCE", 2)


@pytest.mark.usefixtures("small")
def test_a_large_set_is_put_back_step_by_step_and_moves_no_further(conn: Connection) -> None:
    ids = [die(conn) for _ in range(7)]
    act = press(conn, ids)
    step(conn, NOON)
    step(conn, NOON)
    begun = undone(conn, act, at=NOON)
    assert begun is not None
    assert begun.state == "undoing"
    steps(conn, NOON)
    ended = now_of(conn, act)
    assert (ended.state, ended.done, ended.undone, ended.chosen) == ("undone", 0, 4, 7)
    assert statuses(conn, ids) == ["failed"] * 7
    assert undone(conn, act) is None


def test_undoing_ends_after_a_day(conn: Connection) -> None:
    act = press(conn, [die(conn)])
    assert undone(conn, act, at=NOON + timedelta(hours=25)) is None
