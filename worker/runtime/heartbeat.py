"""Keep every lease held, then say that this worker lives (S1-90, S2-55 to S2-57)."""

from __future__ import annotations

from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Engine, autocommit
from worker.queries.claims import Renewed, renew
from worker.queries.workers import Instance, beat
from worker.runtime.held import Held, Run


class Heartbeat:
    """Runs in a thread of its own, so that no handler holds it up."""

    def __init__(
        self, engine: Engine, held: Held, *, instance: Instance, lease_seconds: float, log: FilteringBoundLogger
    ) -> None:
        self._engine = engine
        self._held = held
        self._instance = instance
        self._lease_seconds = lease_seconds
        self._log = log
        self._draining = False

    def tick(self) -> bool:
        """Leases first, for they matter more; neither half may skip the other."""
        try:
            self._renew()
        finally:
            self._beat()
        return False

    def _renew(self) -> None:
        runs = [run for run in self._held.all() if not run.overran and not run.lost]
        if not runs:
            return
        asked_at = monotonic()  # the lease runs from when the server saw this, which is later
        with autocommit(self._engine).connect() as conn:
            renewed = renew(
                conn,
                instance_id=self._instance.instance_id,
                claims=[run.job.claim for run in runs],
                lease_seconds=self._lease_seconds,
            )
        for run in runs:
            self._hear(run, renewed.get(run.job.id), asked_at)

    def _hear(self, run: Run, answer: Renewed | None, asked_at: float) -> None:
        if answer and answer.generation == run.job.generation:
            run.renewed_at = asked_at
            run.signal.cancel_requested |= answer.cancel_requested
        elif not run.ended:  # one that ended is being written, or is: its row says enough
            run.lost = run.signal.lease_lost = True
            self._log.warning("lease.lost", **run.about())

    def _beat(self) -> None:
        with self._engine.begin() as conn:
            answer = beat(conn, instance=self._instance)
        if answer.drain_requested and not self._draining:
            self._draining = True
            self._held.close()
            self._log.info("worker.draining")
