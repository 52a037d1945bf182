"""How a process ends: the first signal asks, the second does not; parts stop whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Event

import pytest

from app.processes import Companion, Stop, running

IMPATIENT = """
import os, signal, sys
from app.processes import Stop, running

class Part:
    def start(self): pass
    def stop(self): print("given back", flush=True)
    def hurry(self): print("in haste", flush=True)

part = Part()
stop = Stop(lambda: print("asked", flush=True), parts=[part])
with stop.listening(), running([part]):
    os.kill(os.getpid(), signal.SIGTERM)
    stop.wait(unless=lambda: False)
    print("draining", flush=True)
    for _ in range({signals}):
        os.kill(os.getpid(), signal.{then})
"""


def impatient(signals: int, then: str) -> subprocess.CompletedProcess[str]:
    """A process that gets so many signals more while it drains."""
    script = IMPATIENT.format(signals=signals, then=then)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)


class Recorded:
    """A part that notes what is done to it, and may fail at it."""

    def __init__(self, *, breaks: str = "") -> None:
        self.done: list[str] = []
        self._breaks = breaks

    def start(self) -> None:
        self._do("start")

    def stop(self) -> None:
        self._do("stop")

    def _do(self, what: str) -> None:
        self.done.append(what)
        if what == self._breaks:
            raise RuntimeError(what)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_asks_to_stop_and_what_was_before_comes_back(number: signal.Signals) -> None:
    heard: list[str] = []
    before = signal.getsignal(number)
    stop = Stop(lambda: heard.append("asked"))
    with stop.listening():
        os.kill(os.getpid(), number)
        stop.wait(unless=lambda: False)
    assert (stop.asked, heard) == (True, ["asked"])
    assert signal.getsignal(number) is before


def test_waiting_ends_when_there_is_nothing_to_wait_for() -> None:
    stop = Stop()
    stop.wait(unless=lambda: True)
    assert not stop.asked


@pytest.mark.parametrize("second", ["SIGTERM", "SIGINT"])
def test_a_08_after_the_second_signal_nothing_is_waited_for_but_what_is_held_goes_back(second: str) -> None:
    ended = impatient(1, second)
    assert ended.stdout == "asked\ndraining\nin haste\ngiven back\n"
    assert ended.returncode == 128 + signal.Signals[second]


def test_the_third_signal_ends_the_process_at_once() -> None:
    ended = impatient(2, "SIGTERM")
    assert ended.stdout == "asked\ndraining\nin haste\n"
    assert ended.returncode == 128 + signal.SIGTERM


def test_parts_start_and_stop_together() -> None:
    parts = [Recorded(), Recorded()]
    with running(parts):
        assert [part.done for part in parts] == [["start"], ["start"]]
    assert [part.done for part in parts] == [["start", "stop"], ["start", "stop"]]


def test_parts_that_run_are_stopped_when_a_later_one_does_not_start() -> None:
    first, broken, never = Recorded(), Recorded(breaks="start"), Recorded()
    with pytest.raises(RuntimeError, match="start"), running([first, broken, never]):
        pytest.fail("must not be reached")
    assert (first.done, broken.done, never.done) == (["start", "stop"], ["start"], [])


def test_a_part_that_does_not_stop_well_keeps_no_other_from_stopping() -> None:
    broken, other = Recorded(breaks="stop"), Recorded()
    with pytest.raises(RuntimeError, match="stop"), running([broken, other]):
        pass
    assert other.done == ["start", "stop"]


def test_a_companion_runs_until_it_is_told_to_stop() -> None:
    began, ended = Event(), Event()

    def run(stopping: Event) -> None:
        began.set()
        stopping.wait(30)
        ended.set()

    with running([Companion("test", run)]):
        assert began.wait(30)
        assert not ended.is_set()
    assert ended.is_set()
