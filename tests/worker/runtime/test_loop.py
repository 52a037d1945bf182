"""Loops: a duty goes on whatever it meets, and stops when it is told."""

import time
from collections.abc import Callable
from threading import Event

import psycopg
import pytest
from psycopg.errors import DeadlockDetected, LockNotAvailable, QueryCanceled, SerializationFailure
from sqlalchemy.exc import OperationalError

from tests.worker.runtime.bench import captured, until
from worker.runtime.loop import Loop, stop_all


class Duty:
    """Counts its ticks, and raises or returns what it is given."""

    def __init__(self, *answers: bool | Exception) -> None:
        self.ticks = 0
        self._answers = list(answers)

    def tick(self) -> bool:
        self.ticks += 1
        answer = self._answers.pop(0) if self._answers else False
        if isinstance(answer, Exception):
            raise answer
        return answer


def loop(tick: Callable[[], bool], **options: object) -> Loop:
    log, _ = captured()
    return Loop("duty", tick, **{"log": log, "interval_seconds": 60, "retry_seconds": 0.001} | options)  # type: ignore[arg-type] # loose on purpose


def test_the_first_tick_comes_at_once_and_more_work_without_a_wait() -> None:
    duty = Duty(True, True)
    subject = loop(duty.tick)
    subject.start()
    until(lambda: duty.ticks == 3)
    assert stop_all([subject], 30)


def test_a_bell_is_answered_before_the_interval_is_over() -> None:
    bell, duty = Event(), Duty()
    subject = loop(duty.tick, bell=bell)
    subject.start()
    until(lambda: duty.ticks == 1)
    bell.set()
    until(lambda: duty.ticks == 2)
    assert stop_all([subject], 30)


def test_a_bell_that_rings_during_a_tick_is_not_lost() -> None:
    bell, ticks = Event(), []

    def tick() -> bool:
        ticks.append(1)
        if len(ticks) == 1:
            bell.set()
        return False

    subject = loop(tick, bell=bell)
    subject.start()
    until(lambda: len(ticks) == 2)
    assert stop_all([subject], 30)


def test_a_failed_tick_is_tried_again_and_told_once_per_outage() -> None:
    log, said = captured()
    lost = psycopg.OperationalError("server closed the connection")
    duty = Duty(lost, lost, False, lost)
    subject = loop(duty.tick, log=log)
    for _ in range(4):
        subject.attempt()
    events = [(entry["event"], entry["log_level"], entry["loop"]) for entry in said.entries]
    lost_once = ("database.lost", "warning", "duty")
    assert events == [lost_once, ("loop.recovered", "info", "duty"), lost_once]


@pytest.mark.parametrize("error", [DeadlockDetected, LockNotAvailable, QueryCanceled, SerializationFailure])
def test_a_database_that_is_there_is_not_called_lost(error: type[psycopg.Error]) -> None:
    log, said = captured()
    loop(Duty(OperationalError("", {}, error())).tick, log=log).attempt()
    assert [(entry["event"], entry["log_level"]) for entry in said.entries] == [("database.strained", "warning")]


def test_a_fault_of_ours_is_an_error_with_its_place_but_without_secrets() -> None:
    log, said = captured()
    loop(Duty(RuntimeError("token=abc123")).tick, log=log).attempt()
    (entry,) = said.entries
    assert (entry["event"], entry["log_level"]) == ("loop.failed", "error")
    assert "test_loop.py" in entry["error"]
    assert "abc123" not in entry["error"]


def test_a_16_no_bell_shortens_the_pause_after_a_failed_try() -> None:
    bell = Event()
    bell.set()
    subject = loop(Duty(*[RuntimeError()] * 3).tick, bell=bell, retry_seconds=0.05)
    started_at = time.monotonic()
    assert [subject.attempt() for _ in range(3)] == [True, True, True]
    assert time.monotonic() - started_at >= 3 * 0.04


def test_a_stop_ends_the_pause_after_a_failed_try() -> None:
    duty = Duty(*[RuntimeError()] * 9)
    subject = loop(duty.tick, retry_seconds=3600)
    subject.start()
    until(lambda: duty.ticks == 1)
    assert stop_all([subject], 30)


def test_a_loop_that_was_never_started_is_stopped_already() -> None:
    assert stop_all([loop(Duty().tick)], 0)


def test_a_tick_that_hangs_is_reported_when_the_time_is_up() -> None:
    release = Event()
    subject = loop(lambda: release.wait(30))
    subject.start()
    assert not stop_all([subject], 0.01)
    release.set()
    assert stop_all([subject], 30)
