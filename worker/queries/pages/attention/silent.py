"""Workers that fell silent."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Level, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.fleet import MISSED_BEATS


def _find(seen: Seen) -> Iterator[Item]:
    """Nothing where none is alive: then one sentence says it all."""
    figures = seen.figures
    for worker in figures.silent if figures.live else ():
        left = any(each.component == worker.component for each in figures.live)
        level: Level = "warn" if worker.held or not left else "info"
        yield Item("silent", level, {"of": worker, "left": left})


def _worst(seen: Seen) -> float:
    """The most beats that any has missed."""
    return max((seen.age(each.heartbeat_at) / each.interval for each in seen.figures.silent), default=0)


KIND = Kind("silent", "A worker that fell silent", Unit.BEATS, MISSED_BEATS, _find, _worst, whole=True)
