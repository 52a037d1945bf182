"""Turn published events into jobs, as soon as they are there."""

from __future__ import annotations

from dataclasses import dataclass

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries import outbox
from worker.runtime.sleeper import Sleeper
from worker.subscribers import Subscribers

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Relay:
    """Belongs in a process that registers every subscriber; several of them share the work (S2-80, S2-100)."""

    engine: Engine
    subscribers: Subscribers
    sleeper: Sleeper
    log: FilteringBoundLogger

    def tick(self) -> bool:
        """One batch; whether to look once more before waiting for a hint or the interval."""
        with self.engine.begin() as conn:
            relayed = outbox.relay(conn, self.subscribers, limit=_BATCH)
        if relayed.failed or relayed.unsubscribed:
            self.log.warning("events.parked", failed=relayed.failed, unsubscribed=relayed.unsubscribed)
        if relayed.events:
            self.log.debug("events.relayed", events=relayed.events, jobs=relayed.jobs)
        handled = relayed.events + relayed.failed + relayed.unsubscribed
        return self.sleeper.look_again(busy=handled >= _BATCH)
