"""Events that the database refused to turn into jobs."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    if seen.figures.outbox.failing:
        yield Item("relay_failing", "warn", seen.figures.outbox)


def _worst(seen: Seen) -> float:
    """How many there are."""
    return float(seen.figures.outbox.failing)


KIND = Kind("relay_failing", "Events that could not become jobs", Unit.NUMBER, 1, _find, _worst, whole=True)
