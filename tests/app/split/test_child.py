"""A process that is there again after each death, and that nothing of outlives whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.split import tied
from app.split.child import PATIENCE, STEADY_SECONDS, Child
from tests.app.program import until

Make = Callable[[str], Child]
SLEEPS = "import sys, time; print('up', flush=True); time.sleep(600)"
DIES = "import sys; sys.exit(1)"
IGNORES_SIGTERM = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPS}"


class Heard(list[str]):
    """What was said, in order."""

    def tell(self, name: str, line: str) -> None:
        self.append(f"{name}: {line}")


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def make(heard: Heard) -> Iterator[Make]:
    """Makes a child that runs some Python; none outlives the test."""
    made: list[Child] = []

    def child(code: str) -> Child:
        started = Child("part", [sys.executable, "-c", code], os.environ, tell=heard.tell, grace_seconds=0.2)
        made.append(started)
        return started

    yield child
    for each in made:
        each.stop()


def ended(child: Child) -> Callable[[], bool]:
    """Whether its process is over."""
    return lambda: child.code is not None


def test_each_line_is_said_with_the_name(make: Make, heard: Heard) -> None:
    make("print('one'); import sys; print('two', file=sys.stderr)").start()
    until(lambda: sorted(heard) == ["part: one", "part: two"])


def test_one_that_was_killed_is_there_again_once_its_wait_is_over(make: Make, heard: Heard) -> None:
    child = make(SLEEPS)
    child.start()
    child.tend(0)
    first = child.pid
    assert first
    os.kill(first, signal.SIGKILL)
    until(ended(child))
    child.tend(10)
    assert heard[-1] == "part: was killed by SIGKILL; started again in 1 s"
    child.tend(10.9)
    assert child.pid == first
    child.tend(11)
    assert child.pid != first
    assert not ended(child)()


def test_the_wait_doubles_up_to_a_bound_and_is_short_again_after_a_steady_life(make: Make, heard: Heard) -> None:
    child = make(DIES)
    child.start()
    now = 0.0
    for _ in range(8):
        until(ended(child))
        child.tend(now)
        now += PATIENCE.cap_seconds
        child.tend(now)
    waits = [line.split()[-2] for line in heard]
    assert waits == ["1", "2", "4", "8", "16", "30", "30", "30"]
    until(ended(child))
    child.tend(now + STEADY_SECONDS)
    assert heard[-1] == "part: ended with 1; started again in 1 s"


def test_one_that_is_misconfigured_stays_away(make: Make, heard: Heard) -> None:
    child = make("import sys; sys.exit(78)")
    child.start()
    until(ended(child))
    child.tend(0)
    assert child.misconfigured
    child.tend(1000)
    assert heard == []


def test_one_that_does_not_end_in_time_is_killed(make: Make, heard: Heard) -> None:
    child = make(IGNORES_SIGTERM)
    child.start()
    until(lambda: heard == ["part: up"])
    child.stop()
    assert child.code == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of no other system keeps that promise")
def test_nothing_outlives_a_parent_that_was_killed() -> None:
    bound = f'{sys.executable} -PS {tied.__file__} $$ {sys.executable} -c "import time; time.sleep(600)"'
    with subprocess.Popen(["sh", "-c", f"{bound} & echo $!; wait"], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        child = Path("/proc", parent.stdout.readline().decode().strip())
        until(lambda: b"tied.py" not in (child / "cmdline").read_bytes())
        parent.kill()
    until(lambda: not child.exists() or "Z (zombie)" in (child / "status").read_text())


def test_one_whose_parent_is_gone_already_never_begins() -> None:
    nobody = [sys.executable, "-PS", tied.__file__, "1", sys.executable, "-c", "print('begun')"]
    done = subprocess.run(nobody, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
