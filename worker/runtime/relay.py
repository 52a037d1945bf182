"""Turn published events into jobs, as soon as they are there."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries import outbox
from worker.subscribers import Subscribers
from worker.tracing import tracing

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Relay:
    """Belongs in a process that registers every subscriber; several of them share the work (S2-80, S2-100)."""

    engine: Engine
    subscribers: Subscribers
    log: FilteringBoundLogger

    def tick(self) -> bool:
        """One batch; whether there may be more."""
        began_at = monotonic()
        with self.engine.begin() as conn:
            relayed = outbox.relay(conn, self.subscribers, limit=_BATCH)
        if relayed.failed or relayed.unsubscribed:
            self.log.warning("events.parked", failed=relayed.failed, unsubscribed=relayed.unsubscribed)
        if relayed.events:
            took_seconds = monotonic() - began_at
            tracing().relayed(relayed.traceparents, jobs=relayed.jobs, took_seconds=took_seconds)
            self.log.debug("events.relayed", events=relayed.events, jobs=relayed.jobs)
        return relayed.events + relayed.failed + relayed.unsubscribed >= _BATCH
