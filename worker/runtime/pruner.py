"""Delete what is old enough, in bounded batches."""

from __future__ import annotations

from dataclasses import dataclass

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries.retention import ACTS_AT_ONCE, prune

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Pruner:
    """What is kept and for how long is `worker.queries.retention`'s to say."""

    engine: Engine
    retention_days: int
    log: FilteringBoundLogger

    def tick(self) -> bool:
        """One batch of each kind; whether there may be more."""
        with self.engine.begin() as conn:
            pruned = prune(conn, retention_days=self.retention_days, limit=_BATCH)
        if any(pruned.values()):
            self.log.info("rows.pruned", **pruned)
        full = max(pruned["events"], pruned["jobs"], pruned["workers"]) >= _BATCH
        return full or pruned["acts"] >= ACTS_AT_ONCE or pruned["statistics"] > 0
