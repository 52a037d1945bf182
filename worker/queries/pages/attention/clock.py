"""Workers whose clock is not the database's: what they write into their own data is off by as much."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.fleet import Worker


def _ahead(seen: Seen) -> list[tuple[Worker, float]]:
    """The live workers and by how many seconds each clock is ahead, the farthest off first."""
    known = [(each, each.clock_ahead_ms / 1000) for each in seen.figures.live if each.clock_ahead_ms is not None]
    return sorted(known, key=lambda each: -abs(each[1]))


def _find(seen: Seen) -> Iterator[Item]:
    for worker, seconds in _ahead(seen):
        if abs(seconds) >= seen.limits.finding_clock_seconds:
            yield Item("clock", "warn", {"of": worker, "seconds": seconds})


def _worst(seen: Seen) -> float:
    """By how much the worst of them is off."""
    return max((abs(seconds) for _, seconds in _ahead(seen)), default=0)


KIND = Kind("clock", "A worker whose clock is off", Unit.SECONDS, "finding_clock_seconds", _find, _worst, whole=True)
