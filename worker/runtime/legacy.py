"""What a worker does about jobs that an older release left on `default` (S2-89 to S2-98)."""

from __future__ import annotations

from collections.abc import Sequence

from structlog.typing import FilteringBoundLogger

from worker.database import Engine, autocommit
from worker.queries.legacy import retag, rules
from worker.queries.spans import Legacy
from worker.subscribers import Subscribers


class LegacyJobs:
    """Goes by what this process registers, and asks anew each time: what is registered late counts from then on."""

    def __init__(
        self, engine: Engine, subscribers: Subscribers, allowed: Sequence[str] | None, log: FilteringBoundLogger
    ) -> None:
        self._engine = autocommit(engine)
        self._subscribers = subscribers
        self._allowed = allowed
        self._log = log
        self._retagged = False

    def rules(self) -> Legacy:
        """What the next claim adopts and leaves out."""
        return rules(self._subscribers.queues(), self._allowed)

    def retag_once(self) -> None:
        """Before the first claim: move what waits to where it belongs. What comes later, only the rules see (S2-98)."""
        if self._retagged:
            return
        moved, total = -1, 0
        with self._engine.connect() as conn:
            while moved:
                moved = retag(conn, self._subscribers.queues())
                total += moved
        self._retagged = True
        if total:
            self._log.info("jobs.retagged", jobs=total)
