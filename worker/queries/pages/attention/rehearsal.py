"""What each limit would have told in the last days, and what another one would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from worker.queries.pages import samples
from worker.queries.pages.attention import KINDS, measure
from worker.queries.pages.attention.kind import Kind
from worker.queries.pages.attention.seen import Seen

WITHIN = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Line:
    """One kind: how bad it is now, and how often it was told anew; `would` is how often for the limit that is tried."""

    kind: Kind
    limit: float
    worst: float
    fired: int
    tried: float | None = None
    would: int | None = None

    @property
    def told(self) -> bool:
        """Whether it is bad enough now."""
        return self.worst >= self.limit


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Every kind, and for how much of the time there are samples to tell from."""

    lines: list[Line]
    watched: timedelta


def rehearse(seen: Seen, tried: Mapping[str, float]) -> Rehearsal:
    """What the limits would have told within the last days, and those that are tried beside them, by kind."""
    until = seen.figures.at
    limits = {kind.name: kind.limit_in(seen.limits) for kind in KINDS}
    fired = samples.fired(seen.conn, limits, since=until - WITHIN)
    would = samples.fired(seen.conn, tried, since=until - WITHIN) if tried else {}
    now = measure(seen)
    lines = [
        Line(
            kind=kind,
            limit=limits[kind.name],
            worst=now[kind.name],
            fired=fired.get(kind.name, 0),
            tried=tried.get(kind.name),
            would=would.get(kind.name, 0) if kind.name in tried else None,
        )
        for kind in KINDS
    ]
    return Rehearsal(lines, samples.watched(seen.conn, since=until - WITHIN, until=until))
