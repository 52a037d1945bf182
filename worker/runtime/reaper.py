"""Return the jobs of workers that fell silent; any process does it, again and again (A-12)."""

from __future__ import annotations

from dataclasses import dataclass

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries.recovery import Recovered, recover

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Reaper:
    """Goes by leases alone: it asks neither who held them nor whether that worker is known (A-03, A-04)."""

    engine: Engine
    stale_after_seconds: float
    log: FilteringBoundLogger

    def tick(self) -> bool:
        """One batch; whether there may be more."""
        with self.engine.begin() as conn:
            recovered = recover(conn, stale_after_seconds=self.stale_after_seconds, limit=_BATCH)
        moved = len(recovered.requeued) + len(recovered.failed) + len(recovered.cancelled)
        if moved:
            self._tell(recovered)
        for job_id, why in recovered.refused.items():
            self.log.error("recovery.refused", job_id=str(job_id), error=why)
        # A batch that moved nothing would only be met again: it waits for the interval
        return bool(moved) and moved + len(recovered.refused) >= _BATCH

    def _tell(self, recovered: Recovered) -> None:
        self.log.warning(
            "job.recovered",
            requeued=len(recovered.requeued),
            failed=len(recovered.failed),
            cancelled=len(recovered.cancelled),
            holders=recovered.holders,
        )
