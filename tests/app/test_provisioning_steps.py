"""The steps of a provisioning: a word for each, and what is known of its time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.provisionings import at, job, run, states, steps
from worker.queries.pages.states import State

REST = ["not yet"] * 5


@pytest.mark.parametrize(
    ("state", "columns", "word"),
    [
        (State.READY, {"generation": 0}, "waiting"),
        (State.SCHEDULED, {"generation": 0}, "waiting"),
        (State.RETRYING, {}, "retrying"),
        (State.RUNNING, {}, "starting"),
        (State.CANCELLING, {}, "cancelling"),
        (State.DEAD, {}, "failed"),
        (State.CANCELLED, {}, "cancelled"),
    ],
)
def test_the_step_it_is_at_has_the_word_of_the_job(state: State, columns: dict[str, Any], word: str) -> None:
    assert states(steps(job(state, **columns))) == [word, *REST]


def test_a_step_that_began_in_this_attempt_is_running() -> None:
    assert states(steps(job(), run(1, 5)))[0] == "running"
    assert states(steps(job(generation=2), run(1, 5, 6, "failed")))[0] == "starting"


@pytest.mark.parametrize("state", [State.READY, State.RETRYING, State.RUNNING])
def test_without_a_live_worker_it_is_stuck(state: State) -> None:
    assert states(steps(job(state, done=2), is_served=False)) == ["done", "done", "stuck", *REST[2:]]


def test_what_is_to_be_cancelled_stays_so_until_the_worker_says_it_is() -> None:
    assert states(steps(job(State.CANCELLING), run(1, 5), is_served=False))[0] == "cancelling"


def test_nobody_asked_for_it_yet() -> None:
    row = job(State.SUCCEEDED, job_id=None, steps_completed=None)
    assert states(steps(row)) == ["not yet", *REST]


def test_what_was_done_before_this_attempt_is_kept() -> None:
    found = steps(job(generation=2, done=2), run(1, 1, 2), run(2, 30, 31, generation=2), run(3, 31, generation=2))
    assert [step.kept for step in found] == [True, False, False, False, False, False]


@pytest.mark.parametrize("state", [State.RETRYING, State.DEAD, State.CANCELLED, State.READY])
def test_whatever_is_done_is_kept_for_the_next_attempt(state: State) -> None:
    assert [step.kept for step in steps(job(state, done=2), run(1, 1, 2))][:3] == [True, True, False]


def test_nothing_is_kept_once_all_is_done() -> None:
    assert not any(step.kept for step in steps(job(State.SUCCEEDED, done=6), run(1, 1, 2)))


def test_a_step_that_was_passed_over_did_not_run() -> None:
    found = steps(job(generation=2, done=1), run(1, 1, 2), run(1, 30, 30, "skipped", generation=2))
    assert (len(found[0].runs), found[0].took) == (1, 1)


def test_a_run_is_measured_by_the_median() -> None:
    (first, second, *_) = steps(job(done=1), run(1, 0, 25), run(2, 25))
    assert (first.took, first.ratio, first.is_late) == (25, 2.5, False)
    assert (second.took, second.ratio, second.is_open, second.is_late) == (75, 7.5, True, True)


def test_a_run_within_what_95_of_100_take_is_not_late() -> None:
    assert not steps(job(now=29), run(1, 0))[0].is_late


def test_without_a_usual_time_nothing_is_late() -> None:
    (first, *_) = steps(job(), run(1, 0), usual={})
    assert (first.usual, first.ratio, first.is_late) == (None, None, False)


@pytest.mark.parametrize("state", [State.RETRYING, State.RUNNING])
def test_an_end_that_nobody_wrote_is_no_time(state: State) -> None:
    found = steps(job(state, generation=2), run(1, 5), is_served=state is not State.RUNNING)
    assert (found[0].took, found[0].is_open) == (None, False)


def test_when_a_worker_was_lost_is_not_when_its_step_ended() -> None:
    assert steps(job(State.RETRYING), run(1, 5, 300, "lost"))[0].took is None


def test_a_row_without_times_is_done_and_says_no_more() -> None:
    (first, *_) = steps(job(State.SUCCEEDED, done=6))
    assert (first.state, first.took, first.runs) == ("done", None, ())


def test_failures_are_counted_and_the_last_error_is_told() -> None:
    found = steps(job(State.RETRYING, generation=2), run(1, 1, 2, "failed"), run(1, 9, 11, "lost", generation=2))
    assert (found[0].failures, found[0].error) == (2, None)
    assert steps(job(State.RETRYING), run(1, 1, 2, "failed"))[0].error == "denied"


def test_now_is_that_of_the_job() -> None:
    assert steps(job(now=42))[0].now == at(42)
