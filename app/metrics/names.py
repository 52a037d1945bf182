"""Which names become labels: a bounded number of them, whatever producers call their queues."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest

from app.metrics.families import Line, summed

MOST = 200
OTHERS = "(others)"
"""Stands for all that are not told apart, so that sums stay right."""


class Kept:
    """The combinations that weigh most; any other is counted among the others."""

    def __init__(self, weights: Iterable[Line]) -> None:
        weighed = summed(weights)
        self._known = frozenset(nlargest(MOST, weighed, key=lambda labels: (weighed[labels], labels)))

    def of(self, *labels: str) -> tuple[str, ...]:
        """The labels, or as many times `(others)`."""
        return labels if labels in self._known else (OTHERS,) * len(labels)
