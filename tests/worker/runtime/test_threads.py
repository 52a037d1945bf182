"""Threads: as many as are needed, each claim once, none left waiting."""

import threading
import time
from collections.abc import Iterator

import pytest

from tests.worker.runtime.bench import PATIENCE_SECONDS, claim_of, until
from worker.runtime.held import Run
from worker.runtime.threads import Threads


class Pool:
    """Threads and what they did."""

    def __init__(self, most: int) -> None:
        self.done: list[Run] = []
        self.waits_for: threading.Event | None = None
        self.threads = Threads(self._work, most=most)

    def submit(self, count: int) -> list[Run]:
        runs = [claim_of() for _ in range(count)]
        self.threads.submit(runs)
        return runs

    def begun(self) -> int:
        """How many threads there are."""
        return len(self.threads._all)

    def _work(self, run: Run) -> None:
        if self.waits_for:
            self.waits_for.wait(2 * PATIENCE_SECONDS)
        self.done.append(run)


@pytest.fixture
def pools() -> Iterator[list[Pool]]:
    made: list[Pool] = []
    yield made
    for pool in made:
        if pool.waits_for:
            pool.waits_for.set()
        pool.threads.stop()


@pytest.mark.parametrize("most", [1, 3, 50])
def test_every_claim_is_run_once(pools: list[Pool], most: int) -> None:
    pools.append(pool := Pool(most))
    runs = [run for _ in range(40) for run in pool.submit(25)]
    until(lambda: len(pool.done) == len(runs))
    assert set(pool.done) == set(runs)


def test_one_thread_takes_them_in_order(pools: list[Pool]) -> None:
    pools.append(pool := Pool(1))
    runs = pool.submit(200)
    until(lambda: len(pool.done) == 200)
    assert pool.done == runs


def test_handlers_that_wait_are_joined_by_others_until_there_are_enough(pools: list[Pool]) -> None:
    pools.append(pool := Pool(8))
    pool.waits_for = threading.Event()
    pool.submit(5)
    until(lambda: pool.begun() == 5)
    pool.submit(5)
    until(lambda: pool.begun() == 8)
    pool.waits_for.set()
    until(lambda: len(pool.done) == 10)
    assert pool.begun() == 8


def test_no_claim_is_forgotten_however_submits_and_idle_threads_meet(pools: list[Pool]) -> None:
    pools.append(pool := Pool(4))
    start = threading.Barrier(3)

    def submit() -> None:
        start.wait()
        for _ in range(300):
            pool.submit(1)

    callers = [threading.Thread(target=submit) for _ in range(3)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    until(lambda: len(pool.done) == 900)


def test_idle_threads_end_at_the_stop_and_one_that_hangs_is_left() -> None:
    pool = Pool(2)
    pool.submit(1)
    until(lambda: pool.done)
    pool.waits_for = threading.Event()
    pool.submit(1)
    began_at = time.monotonic()
    pool.threads.stop()
    assert time.monotonic() - began_at < PATIENCE_SECONDS
    assert [thread.is_alive() for thread in pool.threads._all].count(True) <= 1
    pool.waits_for.set()
