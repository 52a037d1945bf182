"""Jobs whose lease ended and which nobody returned to the queue."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    limit = seen.limits.finding_unreaped_seconds
    late = [row for row in seen.figures.held if row.lease_until and seen.age(row.lease_until) > limit]
    if late:
        since = min(row.lease_until for row in late)
        yield Item("unreaped", "urgent", {"jobs": sum(row.jobs for row in late), "since": since})


def _worst(seen: Seen) -> float:
    """How long ago the first of those leases ended."""
    return max((seen.age(row.lease_until) for row in seen.figures.held if row.lease_until), default=0)


KIND = Kind("unreaped", "Jobs left behind by a worker", Unit.SECONDS, "finding_unreaped_seconds", _find, _worst)
