"""A transaction that stays open, behind which nothing can be cleaned up."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    if _worst(seen) > seen.limits.finding_transaction_seconds:
        yield Item("transaction", "warn", seen.figures.transaction)


def _worst(seen: Seen) -> float:
    """How long the oldest has been open."""
    oldest = seen.figures.transaction
    return seen.age(oldest.since) if oldest else 0


KIND = Kind(
    "transaction",
    "A transaction that stays open",
    Unit.SECONDS,
    "finding_transaction_seconds",
    _find,
    _worst,
    whole=True,
)
