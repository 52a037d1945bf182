"""What a scrape is answered with: read with the figures that pages share, and once for each of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from prometheus_client.core import Metric

from app.metrics import counters, findings, system, work
from app.sampler import Sampler
from worker.database import Connection, Engine, read_only
from worker.queries.pages import totals
from worker.queries.pages.attention import Limits, Seen
from worker.queries.pages.figures import Figures


@dataclass(frozen=True, slots=True)
class Reading:
    """The families made of one sample, as the client library collects them."""

    figures: Figures
    families: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        """All of them."""
        return self.families


class Exposition:
    """Keeps the last reading: however many scrape, the database is asked no more often than for one who looks."""

    def __init__(self, engine: Engine, sampler: Sampler, limits: Limits) -> None:
        self._engine = read_only(engine)
        self._sampler = sampler
        self._limits = limits
        self._lock = Lock()
        self._last: Reading | None = None

    def reading(self) -> Reading:
        """The last one as long as it holds, or else a new one, for which the others wait."""
        with self._lock:
            if self._last is None or self._sampler.due() or self._last.figures is not self._sampler.last:
                with self._engine.begin() as conn:
                    self._last = self._read(conn, self._sampler.figures(conn, fresh=True))
            return self._last

    def _read(self, conn: Connection, figures: Figures) -> Reading:
        if self._last and self._last.figures is figures:
            return self._last
        seen = Seen(conn, figures, self._limits)
        counted = counters.families(totals.read(conn, now=figures.at))
        gauges = (*system.families(figures), *work.families(figures), *findings.families(seen))
        return Reading(figures, [*gauges, *counted])
