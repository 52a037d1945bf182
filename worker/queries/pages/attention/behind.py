"""Queues that fall behind, or take long to catch up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.attention.waits import waits
from worker.queries.pages.loads import Load, Pace

SLOW_TO_CLEAR_SECONDS = 600


def _find(seen: Seen) -> Iterator[Item]:
    for load, wait in _behind(seen):
        if wait < seen.limits.finding_behind_seconds:
            continue
        doubles_in = timedelta(seconds=load.doubles_in) if load.doubles_in else None
        far = load.pace is Pace.GROWING and wait >= seen.limits.finding_far_behind_seconds
        yield Item("behind", "urgent" if far else "warn", {"of": load, "doubles_in": doubles_in})


def _worst(seen: Seen) -> float:
    """The longest wait in any of them."""
    return max((wait for _, wait in _behind(seen)), default=0)


def _behind(seen: Seen) -> Iterator[tuple[Load, float]]:
    for load, wait in waits(seen, Pace.GROWING, Pace.CLEARING):
        if load.pace is Pace.GROWING or (load.clears_in or 0) >= SLOW_TO_CLEAR_SECONDS:
            yield load, wait


KIND = Kind("behind", "A queue that falls behind", Unit.SECONDS, "finding_behind_seconds", _find, _worst)
