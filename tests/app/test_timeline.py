"""A job's attempts on one axis."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from app import timeline, trail
from tests.factories import NOON
from worker.queries.pages.states import State


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def job(state: State = State.DEAD, now: float = 100, **columns: Any) -> Any:
    row = {"attempts": 0, "available_at": NOON, "locked_at": None, "worker": None, "created_at": NOON}
    return SimpleNamespace(state=state, now=at(now), **row | columns)


def attempt(number: int, claimed: float, ended: float, outcome: str = "failed", **columns: Any) -> Any:
    row = {"attempt": number, "outcome": outcome, "worker": "w-1", "started_at": at(claimed)}
    return SimpleNamespace(claimed_at=at(claimed), finished_at=at(ended), **row | columns)


def parts(bar: timeline.Bar) -> list[tuple[str, float, float, str]]:
    return [(each["kind"], each["start"], each["end"], each["state"]) for each in bar.segments]


def test_attempts_wait_and_run_one_after_the_other() -> None:
    found = timeline.of(job(), [attempt(2, 50, 52, "dead_letter"), attempt(1, 1, 2)], [])
    first, second = found.bars
    assert parts(first) == [("wait", 0, 1, ""), ("run", 1, 2, "failed")]
    assert parts(second) == [("wait", 2, 50, ""), ("run", 50, 52, "failed")]
    assert (first.took, second.took, found.span, found.ticks) == (1, 2, 52, [0, 13, 26, 39, 52])


@pytest.mark.parametrize(
    ("outcome", "look"),
    [("completed", "done"), ("lease_expired", "lost"), ("superseded", "superseded"), ("cancelled", "cancelled"),
     ("released", "cancelled"), ("abandoned", "failed"), ("dead_letter", "failed")],
)  # fmt: skip
def test_each_outcome_has_its_look(outcome: str, look: str) -> None:
    (bar,) = timeline.of(job(), [attempt(1, 1, 2, outcome)], []).bars
    assert bar.segments[-1]["state"] == look


def test_an_attempt_that_never_started_took_no_time() -> None:
    (bar,) = timeline.of(job(), [attempt(1, 1, 300, "lease_expired", started_at=None)], []).bars
    assert (bar.took, parts(bar)[-1]) == (None, ("run", 1, 300, "lost"))


def test_a_slow_start_is_drawn_apart() -> None:
    (bar,) = timeline.of(job(), [attempt(1, 1, 9, started_at=at(5))], []).bars
    assert parts(bar) == [("wait", 0, 1, ""), ("start", 1, 5, ""), ("run", 5, 9, "failed")]


def test_a_running_attempt_reaches_to_now() -> None:
    running = job(State.RUNNING, attempts=2, locked_at=at(60), worker="w-2")
    _, bar = timeline.of(running, [attempt(1, 1, 2)], []).bars
    assert (bar.number, bar.worker, bar.running, bar.took) == (2, "w-2", True, 40)
    assert parts(bar) == [("wait", 2, 60, ""), ("run", 60, 100, "running")]


def test_what_waits_for_its_time_shows_when_that_is() -> None:
    found = timeline.of(job(State.RETRYING, attempts=1, available_at=at(160)), [attempt(1, 1, 2)], [])
    assert parts(found.bars[1]) == [("wait", 2, 100, ""), ("future", 100, 160, "")]
    assert (found.bars[1].number, found.span) == (2, 160)


def test_a_job_that_was_cancelled_before_it_ran_has_no_bar() -> None:
    assert timeline.of(job(State.CANCELLED), [], []).bars == []


def test_a_replay_is_marked_where_it_came() -> None:
    acts: list[Any] = [
        SimpleNamespace(action="pause", at=at(31), actor="mira"),
        SimpleNamespace(action="replay", at=at(30), actor="lee"),
    ]
    first, second = timeline.of(job(), [attempt(1, 40, 41), attempt(1, 1, 2)], acts).bars
    assert first.marks == []
    assert second.marks == [{"kind": "resume", "at": 30, "title": "replayed by lee"}]


def test_of_many_attempts_the_last_are_drawn() -> None:
    attempts = [attempt(number, number, number + 0.5) for number in range(40, 0, -1)]
    found = timeline.of(job(), attempts, [])
    assert [bar.number for bar in found.bars] == list(range(29, 41))
    assert (found.left_out, found.since) == (28, at(28.5))


def test_the_trail_tells_everything_the_newest_first() -> None:
    acts: list[Any] = [SimpleNamespace(action="replay", at=at(30), actor="lee")]
    running = job(State.RUNNING, locked_at=at(60))
    found = trail.of(running, [attempt(1, 1, 2)], acts)
    assert [(entry.kind, entry.at) for entry in found] == [
        ("claimed", at(60)),
        ("act", at(30)),
        ("attempt", at(2)),
        ("enqueued", NOON),
    ]
