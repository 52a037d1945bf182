"""How fast each act may go, and what stops the one that runs jobs; what died again since the form is left out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.factories import NOON, job
from tests.worker.queries.bulk_acts.desk import NEW, SAME, die, now_of, press, ran, rated, states, statuses, steps
from worker.database import Row
from worker.errors import InvalidInput
from worker.model import Status
from worker.queries import cancellations
from worker.queries.audit import Actor
from worker.queries.bulk_acts.acts import Action, Mode

SECOND = timedelta(seconds=1)
LATER: dict[str, Any] = {"available_at": NOON + timedelta(hours=1), "scheduled": True}
RUN: dict[str, Any] = {"action": Action.RUN, "undo_seconds": 0}
REASSIGN: dict[str, Any] = {"action": Action.REASSIGN, "undo_seconds": 0, "to_queue": "apart"}
CANCEL: dict[str, Any] = {"action": Action.CANCEL, "undo_seconds": 0}


def after(conn: Connection, act: Row, seconds: int) -> Row:
    steps(conn, NOON + seconds * SECOND)
    return now_of(conn, act)


@pytest.mark.parametrize(("terms", "columns"), [(RUN, LATER), (REASSIGN, {})], ids=["run", "reassign"])
def test_the_rest_waits_until_the_first_one_has_passed(
    conn: Connection, terms: dict[str, Any], columns: dict[str, Any]
) -> None:
    act = press(conn, [job(conn, **columns) for _ in range(3)], mode=Mode.ONE_FIRST, **terms)
    assert after(conn, act, 0).state == "trial"
    assert ran(conn, NOON + SECOND, limit=1) == 1
    found = after(conn, act, 5)
    assert (found.state, found.done, found.passed) == ("done", 3, 1)


def test_jobs_that_fail_alike_stop_those_that_were_to_run_after_them(conn: Connection) -> None:
    act = press(conn, [job(conn, **LATER) for _ in range(9)], mode=Mode.RATE, rate=2, stop_after=2, **RUN)
    after(conn, act, 1)
    assert ran(conn, NOON + SECOND, SAME) == 2
    found = after(conn, act, 3)
    assert (found.state, found.done, found.new_error) == ("stopped", 2, 2)


def test_an_error_of_before_is_no_result_and_the_same_again_is_told_as_such(conn: Connection) -> None:
    known: dict[str, Any] = {"attempts": 1, "error_type": "ValueError", "error_fingerprint": SAME.fingerprint}
    act = press(conn, [job(conn, **LATER, **known) for _ in range(2)], **RUN)
    assert (after(conn, act, 2).same_error, after(conn, act, 2).new_error) == (0, 0)
    assert ran(conn, NOON + 3 * SECOND, SAME, limit=1) == 1
    assert ran(conn, NOON + 3 * SECOND, NEW, limit=1) == 1
    found = after(conn, act, 9)
    assert (found.same_error, found.new_error, found.passed) == (1, 1, 0)


def test_so_many_a_second_are_cancelled(conn: Connection) -> None:
    ids = [job(conn) for _ in range(5)]
    act = press(conn, ids, mode=Mode.RATE, rate=2, **CANCEL)
    assert after(conn, act, 0).done == 2
    assert after(conn, act, 1).done == 4
    assert after(conn, act, 9).state == "done"
    found = after(conn, act, 99)
    assert (found.state, found.done, found.next_at) == ("done", 5, None)
    assert statuses(conn, ids) == ["cancelled"] * 5


@pytest.mark.parametrize(
    "asked", [{"mode": Mode.ONE_FIRST}, {"mode": Mode.RATE, "rate": 1, "stop_after": 3}], ids=["one first", "stop"]
)
def test_nothing_waits_for_what_becomes_of_the_cancelled(conn: Connection, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="cancelled"):
        press(conn, [job(conn), job(conn)], **CANCEL, **asked)


def test_what_died_again_after_the_form_was_drawn_is_left_as_it_is(conn: Connection) -> None:
    before, since = die(conn), die(conn, finished_at=NOON + SECOND)
    act = press(conn, [before, since], seen_at=NOON, now=NOON + 2 * SECOND)
    assert states(conn, act) == [("done", None), ("skipped", "again")]
    assert statuses(conn, [before, since]) == ["queued", "failed"]


def test_what_was_cancelled_or_pruned_since_has_a_count_of_its_own(conn: Connection) -> None:
    ids = [die(conn) for _ in range(3)]
    act = rated(conn, ids, 500)
    after(conn, act, 0)
    cancellations.cancel(conn, job_ids=ids[:1], actor=Actor("mira"), reason="no", now=NOON + SECOND)
    assert ran(conn, NOON + SECOND) == 2
    found = after(conn, act, 9)
    assert (found.passed, found.cancelled, found.gone) == (2, 1, 0)
    assert statuses(conn, ids[:1]) == [Status.CANCELLED]
