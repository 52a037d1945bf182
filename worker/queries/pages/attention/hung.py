"""Handlers that run for longer than a job may, in workers that live."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.fleet import Worker


def _find(seen: Seen) -> Iterator[Item]:
    limit = seen.limits.max_runtime_seconds
    for row, holder in _running(seen):
        if seen.age(row.since) > limit:
            yield Item("hung", "urgent", {"of": row, "holder": holder, "limit": limit})


def _worst(seen: Seen) -> float:
    """The longest that anything runs."""
    return max((seen.age(row.since) for row, _ in _running(seen)), default=0)


def _running(seen: Seen) -> Iterator[tuple[Any, Worker]]:
    live = {each.instance_id: each for each in seen.figures.live}
    return ((row, live[row.locked_by]) for row in seen.figures.held if row.locked_by in live)


KIND = Kind("hung", "A handler that does not end", Unit.SECONDS, "max_runtime_seconds", _find, _worst)
