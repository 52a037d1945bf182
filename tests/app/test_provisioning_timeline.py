"""A provisioning on one axis: a row per step, each attempt on the row of the step that it worked at."""

from __future__ import annotations

from typing import Any

import pytest

from app import provisioning_timeline
from app.provisioning_timeline import Timeline
from tests.app.provisionings import at, attempt, job, run, steps
from worker.queries.pages.states import State


def timeline(row: Any, *runs: Any, attempts: tuple[Any, ...] = (), unfolded: bool = True, **known: Any) -> Timeline:
    """The timeline, with its attempts given oldest first; to scale, unless a test is about that."""
    return provisioning_timeline.of(row, steps(row, *runs, **known), attempts[::-1], unfolded=unfolded)


def bars(found: Timeline, number: int) -> list[tuple[Any, ...]]:
    """The segments on the row of a step: kind, start, end, and the state where there is one."""
    parts = [each for each in found.lines[number - 1].segments if each["kind"] != "folded"]
    return [(each["kind"], each["start"], each["end"], *([each["state"]] if each["state"] else [])) for each in parts]


def marks(found: Timeline, number: int) -> dict[str, float]:
    return {each["kind"]: each["at"] for each in found.lines[number - 1].marks}


def test_waiting_starting_and_running_are_three_parts_of_one_row() -> None:
    found = timeline(job(now=20, locked_at=at(5)), run(1, 8), usual={})
    assert bars(found, 1) == [("wait", 0, 5), ("start", 5, 8), ("run", 8, 20, "running")]


def test_steps_follow_each_other_on_rows_of_their_own() -> None:
    row = job(State.SUCCEEDED, done=6, finished_at=at(6))
    found = timeline(row, run(1, 0, 1), run(2, 1, 6), attempts=(attempt(1, 0, 6, "completed"),))
    assert (bars(found, 1), bars(found, 2), bars(found, 3)) == ([("run", 0, 1, "done")], [("run", 1, 6, "done")], [])
    assert (found.span, found.holds) == (6, None)


def test_attempts_share_the_row_of_the_step_that_failed() -> None:
    row = job(State.RETRYING, now=60, done=1, generation=2, available_at=at(90))
    found = timeline(
        row, run(1, 0, 1), run(2, 1, 3, "failed"), run(2, 45, 47, "failed", generation=2), usual={},
        attempts=(attempt(1, 0, 3, retry=43), attempt(2, 45, 47, retry=90)),
    )  # fmt: skip
    assert bars(found, 1) == [("kept", 0, 1, "done")]
    assert bars(found, 2) == [
        ("run", 1, 3, "failed"),
        ("gap", 3, 43),
        ("wait", 43, 45),
        ("run", 45, 47, "failed"),
        ("gap", 47, 90),
    ]


@pytest.mark.parametrize("ended", [(), (70, "lost")])
def test_what_lost_its_worker_waits_for_another_at_once(ended: Any) -> None:
    row = job(now=99, generation=2, locked_at=at(80))
    lost = (attempt(1, 0, 70, "lease_expired"),)
    found = timeline(row, run(1, 0, *ended), run(1, 80, generation=2), attempts=lost, usual={})
    assert bars(found, 1) == [("unknown", 0, 70, "lost"), ("wait", 70, 80), ("run", 80, 99, "running")]


def test_from_its_last_failure_until_somebody_asks_again_nothing_is_due() -> None:
    row = job(now=99, generation=2, locked_at=at(80))
    found = timeline(row, run(1, 0, 5, "failed"), attempts=(attempt(1, 0, 5, "dead_letter"),), usual={})
    assert bars(found, 1) == [("run", 0, 5, "failed"), ("gap", 5, 80), ("start", 80, 99)]


def test_an_attempt_in_which_no_step_began_was_claimed_and_no_more() -> None:
    row = job(State.DEAD, finished_at=at(9))
    assert bars(timeline(row, attempts=(attempt(1, 2, 9, "dead_letter"),)), 1) == [("wait", 0, 2), ("start", 2, 9)]


def test_a_run_whose_worker_is_silent_is_not_drawn_as_running() -> None:
    found = timeline(job(now=50, locked_at=at(0)), run(1, 0), is_served=False)
    assert bars(found, 1) == [("unknown", 0, 50, "lost")]


def test_what_has_not_happened_is_dotted_at_its_usual_length_right_of_now() -> None:
    found = timeline(job(now=4, done=1, locked_at=at(0)), run(1, 0, 1), run(2, 1))
    assert bars(found, 2) == [("run", 1, 4, "running"), ("future", 4, 11)]
    assert [bars(found, number) for number in (3, 4, 5, 6)] == [
        [("future", start, start + 10)] for start in (11, 21, 31, 41)
    ]
    assert (found.span, found.holds) == (51, 7)


def test_a_step_past_its_usual_end_pushes_the_others_along() -> None:
    found = timeline(job(now=25, locked_at=at(0)), run(1, 0))
    assert bars(found, 1) == [("run", 0, 25, "running")]
    assert bars(found, 2) == [("future", 25, 35)]


def test_a_step_past_the_95th_of_100_is_late() -> None:
    found = timeline(job(now=31, locked_at=at(0)), run(1, 0))
    assert bars(found, 1) == [("run", 0, 31, "late")]


def test_what_waits_expects_to_begin_when_it_is_due() -> None:
    row = job(State.RETRYING, now=10, available_at=at(40))
    found = timeline(row, run(1, 0, 2, "failed"), attempts=(attempt(1, 0, 2, retry=40),))
    assert bars(found, 1)[-1] == ("future", 40, 50)
    assert bars(found, 6) == [("future", 90, 100)]


@pytest.mark.parametrize("state", [State.DEAD, State.CANCELLED, State.CANCELLING])
def test_nothing_more_is_expected_of_what_stopped(state: State) -> None:
    found = timeline(job(state, now=10, finished_at=at(9), locked_at=at(0)), run(1, 0, 2), attempts=(attempt(1, 0, 9),))
    assert [bars(found, number) for number in (2, 3, 4, 5, 6)] == [[]] * 5


def test_a_step_nobody_knows_the_length_of_is_not_drawn() -> None:
    usual = {"create_schema": steps(job())[0].usual}
    found = timeline(job(State.READY, now=5, generation=0), usual=usual)
    assert bars(found, 1) == [("wait", 0, 5), ("future", 5, 15)]
    assert bars(found, 2) == []


def test_ticks_stand_at_median_and_p95_from_the_start_of_the_run() -> None:
    found = timeline(job(now=20, done=1, locked_at=at(0)), run(1, 0, 5), run(2, 5))
    assert marks(found, 2) == {"median": 15, "p95": 35, "now": 20}
    assert marks(found, 1)["median"] == 10


def test_a_tick_beyond_the_axis_is_left_out() -> None:
    row = job(State.DEAD, now=20, finished_at=at(12))
    assert marks(timeline(row, run(1, 2, 12, "failed"), attempts=(attempt(1, 0, 12),)), 1) == {
        "median": 12,
        "resume": 12,
    }


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (job(State.RETRYING, now=10, available_at=at(40)), 40),
        (job(State.READY, now=50, available_at=at(40)), 50),
        (job(State.DEAD, now=60, finished_at=at(7)), 7),
        (job(State.CANCELLED, now=60, finished_at=at(7)), 7),
        (job(now=60, generation=2, locked_at=at(30)), 30),
    ],
)
def test_a_flag_stands_where_a_new_attempt_begins(row: Any, place: float) -> None:
    row.steps_completed = ["create_schema"]
    found = timeline(row, run(1, 0, 1), run(2, 1, 5, "failed"), attempts=(attempt(1, 0, 5),), usual={})
    assert marks(found, 2)["resume"] == place
    assert "resume" not in marks(found, 1) | marks(found, 3)


def test_the_flag_stays_on_the_step_that_was_taken_up() -> None:
    row = job(now=60, generation=2, done=2, locked_at=at(30))
    found = timeline(row, run(1, 0, 1), run(2, 31, 40, generation=2), run(3, 40, generation=2))
    assert marks(found, 2)["resume"] == 30


@pytest.mark.parametrize(
    "row",
    [job(now=9, locked_at=at(2)), job(State.READY, generation=0), job(State.SUCCEEDED, done=6, finished_at=at(9))],
)
def test_a_first_attempt_resumes_nothing(row: Any) -> None:
    assert all("resume" not in marks(timeline(row), number) for number in range(1, 7))


def test_a_night_of_waiting_is_folded_on_every_row_and_is_a_zigzag_on_its_own() -> None:
    row = job(now=36_020, generation=2, locked_at=at(36_010))
    runs = (run(1, 0, 10, "failed"), run(1, 36_010, generation=2))
    attempts = (attempt(1, 0, 10, retry=30),)
    found = timeline(row, *runs, attempts=attempts, unfolded=False, usual={})
    (fold,) = found.axis.folds
    assert (fold.start, fold.end, found.folds) == (10, 36_010, 1)
    width = found.axis.at(36_010) - 10
    assert [kind for kind, *_ in bars(found, 1)] == ["run", "fold", "run"]
    assert bars(found, 1)[1][1:] == (10, 10 + width)
    assert all(line.segments[0] == {"kind": "folded", "start": 10, "end": 10 + width} for line in found.lines)
    assert found.span < 30
    to_scale = timeline(row, *runs, attempts=attempts, usual={})
    assert (to_scale.axis.folds, to_scale.folds) == ((), 1)


def test_what_goes_on_now_is_marked_as_alive() -> None:
    running = timeline(job(now=20, locked_at=at(5)), run(1, 8))
    assert [each["live"] for each in running.lines[0].segments] == [False, False, True, False][: len(bars(running, 1))]
    waiting = timeline(job(State.READY, now=20, generation=0))
    assert [each["live"] for each in waiting.lines[0].segments] == [True, False]


def test_a_running_step_has_room_to_go_on() -> None:
    found = timeline(job(now=105, locked_at=at(5)), run(1, 5), usual={})
    assert found.span == 115
    assert found.holds == pytest.approx(5.75)


def test_of_many_attempts_the_last_are_drawn() -> None:
    attempts = tuple(attempt(number, 60 * number, 60 * number + 5, retry=60 * number + 50) for number in range(1, 21))
    runs = [run(1, 60 * number, 60 * number + 5, "failed", generation=number) for number in range(1, 21)]
    row = job(State.DEAD, now=2000, generation=20, finished_at=at(1205))
    found = timeline(row, *runs[8:], attempts=attempts, usual={})
    assert (found.left_out, found.since) == (8, at(485))
    assert len([kind for kind, *_ in bars(found, 1) if kind == "run"]) == 12


def test_old_rows_without_times_have_no_bar_at_all() -> None:
    row = job(State.SUCCEEDED, done=6, finished_at=at(9))
    found = timeline(row, attempts=(attempt(1, 1, 9, "completed"),))
    assert [bars(found, number) for number in range(1, 7)] == [[]] * 6
