"""Say which subscribers this process registers, so that no relay without one stamps the events it waits for (A-60)."""

from __future__ import annotations

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries.subscriptions import declare
from worker.subscribers import Subscribers


class RollCall:
    """Belongs in every process that registers subscribers, whether it relays or works."""

    def __init__(self, engine: Engine, subscribers: Subscribers, log: FilteringBoundLogger) -> None:
        self._engine = engine
        self._subscribers = subscribers
        self._log = log
        self._unknown: list[str] = []

    def tick(self) -> bool:
        """Say it again; what others register and this process does not is told once."""
        with self._engine.begin() as conn:
            unknown = declare(conn, self._subscribers)
        if unknown and unknown != self._unknown:
            self._log.warning("subscribers.unknown", subscribers=unknown)
        self._unknown = unknown
        return False
