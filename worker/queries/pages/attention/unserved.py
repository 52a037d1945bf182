"""Work that waits where no live worker takes it."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages import fleet
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen


def _find(seen: Seen) -> Iterator[Item]:
    """Type by type; where no worker is alive, one line says all."""
    figures, limit = seen.figures, seen.limits.finding_unserved_seconds
    waiting = [each for each in figures.unserved if seen.age(each.since) >= limit]
    if waiting and not figures.live:
        yield Item("nobody", "urgent", {"ready": figures.ready, "since": waiting[0].since})
        return
    last = fleet.last_able(seen.conn, job_types=[each.job_type for each in waiting]) if waiting else {}
    for each in waiting:
        elsewhere = [worker for worker in figures.live if each.job_type in worker.job_types]
        yield Item("unserved", "urgent", {"of": each, "last": last.get(each.job_type), "elsewhere": elsewhere})


def _worst(seen: Seen) -> float:
    """The longest that any of it has waited."""
    return max((seen.age(each.since) for each in seen.figures.unserved), default=0)


KIND = Kind("unserved", "Work that no live worker can run", Unit.SECONDS, "finding_unserved_seconds", _find, _worst)
