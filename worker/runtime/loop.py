"""A thread that does one duty again and again, whatever happens to the database."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from threading import Event, Thread
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import is_outage, is_strained
from worker.failures import describe


class Loop:
    """Calls `tick` at once while it returns True, else after the interval or when its bell rings, until it is stopped.

    A bell that rings during a tick is answered by one more tick after it.
    """

    def __init__(
        self,
        name: str,
        tick: Callable[[], bool],
        *,
        log: FilteringBoundLogger,
        interval_seconds: float | Callable[[], float],
        retry_seconds: float = 2,
        bell: Event | None = None,
    ) -> None:
        self._tick = tick
        self._log = log.bind(loop=name)
        self._interval_seconds = interval_seconds if callable(interval_seconds) else lambda: interval_seconds
        self._retry_seconds = retry_seconds
        self._bell = bell or Event()
        self._stopping = Event()
        self._trouble: type[BaseException] | None = None
        self._thread = Thread(target=self._run, name=f"watchfloor {name}", daemon=True)

    def start(self) -> None:
        """Begin; the first tick comes at once."""
        self._thread.start()

    def stop(self) -> None:
        """Let the tick in hand be the last; `join` waits for it."""
        self._stopping.set()
        self._bell.set()

    def join(self, timeout_seconds: float) -> bool:
        """Whether the thread is over within the time; one that was never started is."""
        if self._thread.ident is not None:
            self._thread.join(max(timeout_seconds, 0))
        return not self._thread.is_alive()

    def attempt(self) -> bool:
        """One tick that cannot end the loop; a failed one is followed by a pause that no bell shortens (A-16)."""
        try:
            again = self._tick()
        except Exception as error:  # noqa: BLE001 - a duty outlives whatever it meets, and says so
            if not self._stopping.is_set():  # what the stop breaks off is no news
                self._failing(error)
            self._stopping.wait(self._retry_seconds * random.uniform(0.8, 1.2))  # noqa: S311 - spreads, hides nothing
            return True
        self._working()
        return again

    def _run(self) -> None:
        while not self._stopping.is_set():
            if not self.attempt():
                self._bell.wait(self._interval_seconds())
                self._bell.clear()

    def _failing(self, error: Exception) -> None:
        """Say it once per outage, not once per try; a fault of ours also says where."""
        if self._trouble is type(error):
            return
        self._trouble = type(error)
        failure = describe(error, handler_key="loop")
        if is_strained(error):
            self._log.warning("database.strained", error=failure.summary)
        elif is_outage(error):
            self._log.warning("database.lost", error=failure.summary)
        else:
            self._log.error("loop.failed", error=failure.detail)

    def _working(self) -> None:
        if self._trouble:
            self._trouble = None
            self._log.info("loop.recovered")


def stop_all(loops: Sequence[Loop], timeout_seconds: float) -> bool:
    """Whether all of them ended within the time they share."""
    for loop in loops:
        loop.stop()
    deadline = monotonic() + timeout_seconds
    ended = [loop.join(deadline - monotonic()) for loop in loops]
    return all(ended)
