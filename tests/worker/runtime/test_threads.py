"""The threads of `def` handlers: as many as are needed and can be had, and no claim is left lying."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest

from tests.worker.runtime.bench import claim_of, until
from worker.runtime import threads
from worker.runtime.held import Run
from worker.runtime.threads import Threads

Full = Callable[[int], None]


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Full:
    """Has the machine refuse every thread after so many."""
    room: list[None] = []

    class Refused(Thread):
        def start(self) -> None:
            if not room:
                raise RuntimeError("can't start new thread")
            room.pop()
            super().start()

    monkeypatch.setattr(threads, "Thread", Refused)
    return lambda count: room.extend([None] * count)


@pytest.mark.parametrize("room", [1, 2])
def test_where_there_is_no_room_for_another_thread_those_there_are_do_the_work(full: Full, room: int) -> None:
    done: list[Run] = []
    pool = Threads(done.append, most=8)
    full(room)
    for _ in range(5):
        pool.submit([claim_of() for _ in range(20)])
    until(lambda: len(done) == 100)
    pool.stop()


def test_the_first_thread_that_cannot_be_had_is_told_and_asked_for_again(full: Full) -> None:
    done: list[Run] = []
    pool = Threads(done.append, most=8)
    with pytest.raises(RuntimeError):
        pool.submit([claim_of()])
    full(1)
    pool.submit([claim_of()])
    until(lambda: len(done) == 2)
    pool.stop()


def test_handlers_that_wait_bring_all_threads_to_work(full: Full) -> None:
    full(8)
    free, begun = Event(), []

    def work(run: Run) -> None:
        begun.append(run)
        free.wait(30)

    pool = Threads(work, most=8)
    pool.submit([claim_of() for _ in range(20)])
    until(lambda: len(begun) == 8)
    free.set()
    until(lambda: len(begun) == 20)
    pool.stop()
