"""Events that nobody subscribes to, which are kept."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    if seen.figures.outbox.unsubscribed:
        yield Item("unsubscribed", "warn", seen.figures.outbox)


def _worst(seen: Seen) -> float:
    """How many there are."""
    return float(seen.figures.outbox.unsubscribed)


KIND = Kind("unsubscribed", "Events without a subscriber", Unit.NUMBER, 1, _find, _worst, whole=True)
