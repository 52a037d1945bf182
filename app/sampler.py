"""The figures that every page and stream shares, and those of each lens: read at most once a second, when looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from worker.database import Connection

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

MIN_PAUSE_SECONDS = 1.0
MAX_PAUSE_SECONDS = 30.0
SHARE = 10
"""A sample may take a tenth of the time: one that is slow is taken less often; so may those of all lenses."""
LENSES = 512
"""Tenants whose figures are kept at most, those looked at last: where more are, each costs a reading at every look."""
FORGOTTEN_SECONDS = 60.0
"""So long after they may be read anew, figures of a tenant that nobody looked at since are dropped."""


class Sample(Protocol):
    """Reads the figures; `worker.queries.pages.figures.sample` but in tests."""

    def __call__(self, conn: Connection, *, now: datetime | None) -> Figures: ...


class Narrow(Protocol):
    """Reads what of the figures is one tenant's; `worker.queries.pages.tenant_figures.of_tenant` but in tests."""

    def __call__(self, conn: Connection, figures: Figures, *, tenant_id: UUID) -> Figures: ...


@dataclass(frozen=True, slots=True)
class Part:
    """One tenant's figures, of which sample they are, and from when on they may be read anew."""

    of: Figures
    figures: Figures
    due_at: float


class Sampler:
    """Keeps the last figures, and takes new ones on the connection of whoever needs them."""

    def __init__(
        self,
        sample: Sample,
        *,
        narrow: Narrow,
        now: datetime | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.last: Figures | None = None
        self._parts: dict[UUID, Part] = {}
        self._narrow = narrow
        self._narrowing = Lock()
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

    def of_tenant(self, conn: Connection, figures: Figures, *, tenant_id: UUID) -> Figures:
        """What of a sample is the tenant's, read once for each sample, and less often where that is slow."""
        known = self._parts.get(tenant_id)
        if known and (known.of is figures or self._clock() < known.due_at):
            return known.figures
        if not self._narrowing.acquire(blocking=known is None):
            assert known
            return known.figures
        try:
            known = self._parts.get(tenant_id)
            return known.figures if known and known.of is figures else self._part(conn, figures, tenant_id)
        finally:
            self._narrowing.release()

    def last_of(self, tenant_id: UUID | None) -> Figures | None:
        """The last figures of a tenant, or of all; None where nobody has read them yet."""
        if tenant_id is None:
            return self.last
        part = self._parts.get(tenant_id)
        return part.figures if part else None

    def expire(self) -> None:
        """Something was changed: whoever looks next should see it."""
        self._due_at = self._clock()
        now = self._due_at
        self._parts = {each: replace(part, due_at=min(part.due_at, now)) for each, part in self._parts.items()}

    def due(self) -> bool:
        """Whether whoever asks next has to read: time has passed, or something was changed here."""
        return self._clock() >= self._due_at

    def _part(self, conn: Connection, figures: Figures, tenant_id: UUID) -> Figures:
        began = self._clock()
        narrowed = self._narrow(conn, figures, tenant_id=tenant_id)
        taken = self._clock()
        watched = self._parts.items()
        rest = [(each, part) for each, part in watched if part.due_at > taken - FORGOTTEN_SECONDS and each != tenant_id]
        others = dict(rest[-LENSES + 1 :])
        pause = max(MIN_PAUSE_SECONDS, SHARE * (taken - began) * (len(others) + 1))
        part = Part(figures, narrowed, taken + min(pause, MAX_PAUSE_SECONDS))
        self._parts = {**others, tenant_id: part}
        return narrowed

    def _take(self, conn: Connection) -> Figures:
        began = self._clock()
        figures = self._sample(conn, now=self._now)
        self._taken_at = self._clock()
        pause = max(MIN_PAUSE_SECONDS, SHARE * (self._taken_at - began))
        self._due_at = self._taken_at + min(pause, MAX_PAUSE_SECONDS)
        self.last = figures
        return figures
