"""How a long-running command lives and ends: parts that start and stop together, and signals that ask for it."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread, Timer
from types import FrameType
from typing import Protocol, runtime_checkable

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LOOK_EVERY_SECONDS = 0.1
_HASTE_SECONDS = 10
_NEW_BETWEEN_COLLECTIONS = 50_000


def leave_in_peace() -> None:
    """Have the garbage collector pass over what is loaded by now, and look through what comes less often.

    A queue makes and drops a few thousand small things a batch, none of which form a cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_BETWEEN_COLLECTIONS, 20, 50)


class Part(Protocol):
    """A worker, the maintenance, the demo's traffic: whatever runs beside the main thread."""

    def start(self) -> None:
        """Begin; returns at once."""

    def stop(self) -> None:
        """End in good order; returns when that is done."""


class Companion:
    """A part that is one function on a thread of its own; the function returns when its event is set."""

    def __init__(self, name: str, run: Callable[[Event], None]) -> None:
        self._stopping = Event()
        self._thread = Thread(target=run, args=(self._stopping,), name=f"watchfloor {name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Ask it to return, and wait a little."""
        self._stopping.set()
        self._thread.join(5)


@contextmanager
def running(parts: Sequence[Part]) -> Iterator[None]:
    """Start them in order; stop them side by side, however the block ends."""
    started: list[Part] = []
    try:
        for part in parts:
            part.start()
            started.append(part)
        yield
    finally:
        with ThreadPoolExecutor(max(len(started), 1)) as pool:
            for stopped in [pool.submit(part.stop) for part in started]:
                stopped.result()


@runtime_checkable
class Hasty(Protocol):
    """A part that may be asked, while it stops, to wait for nothing."""

    def hurry(self) -> None:
        """Give back what is held instead of finishing it."""


class Stop:
    """SIGINT and SIGTERM: the first asks to stop, the second to wait for nothing, the third ends the process at once.

    What was claimed is given back all the same after the second, for which there are a few seconds (A-08).
    """

    def __init__(self, on_asked: Callable[[], None] = lambda: None, *, parts: Sequence[Part] = ()) -> None:
        self.asked = False
        self._on_asked = on_asked
        self._parts = parts
        self._hurried_by: int | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals until the block ends; after a second one, so does the process."""
        before = {each: signal.signal(each, self._hear) for each in SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
        if self._hurried_by:
            raise SystemExit(128 + self._hurried_by)

    def wait(self, *, unless: Callable[[], bool]) -> None:
        """Sleep until asked to stop, or until there is nothing to wait for; no lock that a signal could find held."""
        while not self.asked and not unless():
            time.sleep(_LOOK_EVERY_SECONDS)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self._hurried_by:
            os._exit(128 + number)
        if self.asked:
            self._hurry(number)
        else:
            self.asked = True
            self._on_asked()

    def _hurry(self, number: int) -> None:
        self._hurried_by = number
        last = Timer(_HASTE_SECONDS, os._exit, (128 + number,))
        last.daemon = True
        last.start()
        for part in self._parts:
            if isinstance(part, Hasty):
                part.hurry()
