"""The fence: handlers are told in time, by the clock alone."""

from collections.abc import Callable

import pytest

from tests.worker.runtime.bench import captured, claim_of, settings
from worker.runtime.fence import Fence
from worker.runtime.held import Held, Run


class Released:
    """Stands in for the completer: what was given back."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def release(self, runs: list[Run]) -> None:
        self.runs += runs


class Ground:
    """A fence, three claims, and what came of them."""

    def __init__(self) -> None:
        self.log, self.said = captured()
        self.held = Held(3, threads=3)
        self.released = Released()
        self.running, self.other, self.waiting = (claim_of() for _ in range(3))
        self.held.add([self.running, self.other, self.waiting])
        for run in (self.running, self.other):
            self.held.begin(run)
        pace = settings(lease_seconds=30, heartbeat_interval_seconds=10, max_runtime_seconds=60)
        self.tick: Callable[[], bool] = Fence(self.held, self.released, settings=pace, log=self.log).tick  # type: ignore[arg-type] # a stand-in

    def events(self) -> list[tuple[str, str]]:
        return [(entry["event"], entry["log_level"]) for entry in self.said.entries]


@pytest.fixture
def ground() -> Ground:
    return Ground()


def ago(run: Run, *, silent: float = 0, running: float = 0) -> None:
    run.renewed_at -= silent
    if run.started_at is not None:
        run.started_at -= running


def test_a_claim_within_its_bounds_is_left_alone(ground: Ground) -> None:
    ago(ground.running, silent=19, running=59)
    ground.tick()
    assert not ground.running.signal.lease_lost
    assert ground.events() == []


def test_s2_135_silence_of_a_lease_less_one_beat_stops_the_handler(ground: Ground) -> None:
    ago(ground.running, silent=20)
    ground.tick()
    ground.tick()
    assert ground.running.signal.lease_lost
    assert not ground.other.signal.lease_lost
    assert ground.events() == [("lease.fenced", "warning")]


def test_a_fenced_claim_is_still_renewed_for_the_database_may_come_back(ground: Ground) -> None:
    ago(ground.running, silent=20)
    ground.tick()
    assert not ground.running.overran
    assert not ground.running.lost


def test_s2_130_to_132_past_the_runtime_limit_a_job_is_signalled_once_and_logged_as_an_error(ground: Ground) -> None:
    ago(ground.running, running=60)
    ground.tick()
    ground.tick()
    assert ground.running.overran
    assert ground.running.signal.lease_lost
    assert ground.events() == [("job.overran", "error")]


def test_s2_133_what_waits_behind_an_overdue_job_goes_back(ground: Ground) -> None:
    ago(ground.running, running=60)
    ground.tick()
    assert ground.released.runs == [ground.waiting]
    assert not ground.held.begin(ground.waiting)


def test_a_waiting_claim_has_no_runtime_but_may_be_fenced(ground: Ground) -> None:
    ago(ground.waiting, silent=25)
    ground.tick()
    assert ground.waiting.signal.lease_lost
    assert not ground.waiting.overran


def test_what_is_over_is_not_looked_at(ground: Ground) -> None:
    ground.held.end(ground.running)
    ago(ground.running, silent=999, running=999)
    ground.tick()
    assert ground.events() == []
