"""Published events that have not become jobs."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    if _worst(seen) > seen.limits.finding_unrelayed_seconds:
        yield Item("unrelayed", "urgent", seen.figures.outbox)


def _worst(seen: Seen) -> float:
    """The age of the oldest."""
    outbox = seen.figures.outbox
    return seen.age(outbox.fresh_since) if outbox.fresh else 0


KIND = Kind(
    "unrelayed",
    "Events that have not become jobs",
    Unit.SECONDS,
    "finding_unrelayed_seconds",
    _find,
    _worst,
    whole=True,
)
