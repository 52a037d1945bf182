"""Where `def` handlers run: threads that begin as they are needed, each taking one claim after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from time import monotonic

from worker.runtime.held import Run

_IDLE_ENDS_WITHIN_SECONDS = 1


class Threads:
    """At most so many; a handler that hangs keeps its thread, and only that (S2-134).

    Only one idle thread is roused at a time, and rouses the next: handlers that wait bring all of them to work within
    moments, while handlers that are over at once are not paid for with a change of threads each.
    """

    def __init__(self, work: Callable[[Run], None], *, most: int) -> None:
        self._work = work
        self._most = most
        self._waiting: deque[Run] = deque()
        self._lock = Lock()
        self._all: list[Thread] = []
        self._idle: list[Lock] = []
        self._roused = False
        self._stopping = False

    def submit(self, runs: Iterable[Run]) -> None:
        """Run them, in order, as soon as a thread is free."""
        self._waiting.extend(runs)
        self._rouse()

    def stop(self) -> None:
        """End the idle threads; those whose handlers hang are left to the end of the process."""
        with self._lock:
            self._stopping = True
            for bell in self._idle:
                bell.release()
            self._idle.clear()
        deadline = monotonic() + _IDLE_ENDS_WITHIN_SECONDS
        for thread in self._all:
            thread.join(max(deadline - monotonic(), 0))

    def _rouse(self) -> None:
        with self._lock:
            if self._roused or self._stopping or not self._waiting:
                return
            if self._idle:
                self._roused = True
                self._idle.pop().release()
            elif len(self._all) < self._most:
                self._begin_another()

    def _begin_another(self) -> None:
        """Where the machine has no room for one more thread, those that there are do the work."""
        thread = Thread(target=self._serve, name=f"watchfloor job {len(self._all)}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if not self._all:
                raise
        else:
            self._all.append(thread)
            self._roused = True

    def _serve(self) -> None:
        bell = Lock()
        bell.acquire()
        while self._goes_on(bell):
            while run := self._next():
                if self._waiting and not self._roused:
                    self._rouse()
                self._work(run)

    def _goes_on(self, bell: Lock) -> bool:
        """Wait until there may be something; False when there will be nothing more."""
        with self._lock:
            self._roused = False
            if self._stopping:
                return False
            if self._waiting:
                return True
            self._idle.append(bell)
        bell.acquire()
        self._roused = False
        return True

    def _next(self) -> Run | None:
        try:
            return self._waiting.popleft()
        except IndexError:
            return None
