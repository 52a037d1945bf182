"""Queues where nothing comes and nothing ends, and work waits."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.attention.waits import waits
from worker.queries.pages.loads import Pace


def _find(seen: Seen) -> Iterator[Item]:
    for load, wait in waits(seen, Pace.STALLED):
        if wait >= seen.limits.finding_still_seconds:
            far = wait >= seen.limits.finding_far_behind_seconds
            yield Item("still", "urgent" if far else "warn", {"of": load})


def _worst(seen: Seen) -> float:
    """The longest wait in any of them."""
    return max((wait for _, wait in waits(seen, Pace.STALLED)), default=0)


KIND = Kind("still", "A queue that stands still", Unit.SECONDS, "finding_still_seconds", _find, _worst)
