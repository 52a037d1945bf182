"""The figures that every page and stream shares: read at most once a second, and only when somebody looks."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from worker.database import Connection

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

MIN_PAUSE_SECONDS = 1.0
MAX_PAUSE_SECONDS = 30.0
SHARE = 10
"""A sample may take a tenth of the time: one that is slow is taken less often."""


class Sample(Protocol):
    """Reads the figures; `worker.queries.pages.figures.sample` but in tests."""

    def __call__(self, conn: Connection, *, now: datetime | None) -> Figures: ...


class Sampler:
    """Keeps the last figures, and takes new ones on the connection of whoever needs them."""

    def __init__(
        self, sample: Sample, *, now: datetime | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.last: Figures | None = None
        self._sample = sample
        self._now = now
        self._clock = clock
        self._lock = Lock()
        self._taken_at = self._due_at = clock()

    def figures(self, conn: Connection, *, fresh: bool) -> Figures:
        """The last figures; new ones if they are due, unless any will do or somebody is at it already."""
        if self.last and not (fresh and self.due()):
            return self.last
        wait = self.last is None or self._clock() - self._taken_at > MAX_PAUSE_SECONDS
        if not self._lock.acquire(blocking=wait):
            assert self.last
            return self.last
        try:
            return self._take(conn) if self.last is None or self.due() else self.last
        finally:
            self._lock.release()

    def expire(self) -> None:
        """Something was changed: whoever looks next should see it."""
        self._due_at = self._clock()

    def due(self) -> bool:
        """Whether whoever asks next has to read: time has passed, or something was changed here."""
        return self._clock() >= self._due_at

    def _take(self, conn: Connection) -> Figures:
        began = self._clock()
        figures = self._sample(conn, now=self._now)
        self._taken_at = self._clock()
        pause = max(MIN_PAUSE_SECONDS, SHARE * (self._taken_at - began))
        self._due_at = self._taken_at + min(pause, MAX_PAUSE_SECONDS)
        self.last = figures
        return figures
