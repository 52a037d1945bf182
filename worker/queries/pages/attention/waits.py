"""How long work waits in a queue that somebody serves."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages import loads
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.loads import Load, Pace


def waits(seen: Seen, *paces: Pace) -> Iterator[tuple[Load, float]]:
    """The queues at such a pace, each with the longest wait among what somebody could run: the rest is told apart."""
    for load in loads.by_queue(seen.figures):
        if load.pace in paces:
            since = [row.ready_since for row in load.backlog if row.ready_since and row not in load.unserved]
            yield load, seen.age(min(since)) if since else 0
