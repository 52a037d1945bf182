"""Queues that are paused; one left so without an end over waiting work needs a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worker.queries.pages.attention.kind import Item, Kind, Level, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    for queue, pause in sorted(seen.figures.paused.items()):
        if seen.tenant_id and not any(each.queue == queue for each in seen.figures.backlog):
            continue
        left_on = _is_left_on(seen, pause) and seen.age(pause.paused_at) >= seen.limits.finding_paused_seconds
        level: Level = "warn" if left_on else "info"
        yield Item("paused", level, {"of": pause, "waiting": seen.figures.depths.ready.get(queue, 0)})


def _is_left_on(seen: Seen, pause: Any) -> bool:
    return pause.paused_until is None and seen.figures.depths.ready.get(pause.queue, 0) > 0


def _worst(seen: Seen) -> float:
    """How long the longest of those has been on."""
    left_on = (pause for pause in seen.figures.paused.values() if _is_left_on(seen, pause))
    return max((seen.age(pause.paused_at) for pause in left_on), default=0)


KIND = Kind("paused", "A pause left on", Unit.SECONDS, "finding_paused_seconds", _find, _worst)
