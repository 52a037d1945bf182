"""Claim as many due jobs as can start now, and hand them to the executor."""

from __future__ import annotations

import logging
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries.claims import claim, release
from worker.queries.workers import Instance
from worker.runtime.executor import Executor
from worker.runtime.held import Held, Run
from worker.runtime.quarantine import Quarantine
from worker.runtime.sleeper import Sleeper


class Dispatcher:
    """Rotates over the queues; the cursor lives in memory and starts anew with the process (S2-34 to S2-38)."""

    def __init__(
        self,
        engine: Engine,
        held: Held,
        executor: Executor,
        *,
        sleeper: Sleeper,
        quarantine: Quarantine,
        instance: Instance,
        batch_size: int,
        lease_seconds: float,
        log: FilteringBoundLogger,
    ) -> None:
        self._engine = engine
        self._held = held
        self._executor = executor
        self._sleeper = sleeper
        self._quarantine = quarantine
        self._instance = instance
        self._batch_size = batch_size
        self._lease_seconds = lease_seconds
        self._log = log
        self._last_queue = ""

    def tick(self) -> bool:
        """Claim what fits; whether to look once more before waiting for a hint, a free slot or the poll interval."""
        room = min(self._quarantine.room(self._held.idle()), self._batch_size)
        if room <= 0:
            return False
        runs = self._claim(room)
        self._begin(runs)
        return self._sleeper.look_again(busy=len(runs) == room)

    def _begin(self, runs: list[Run]) -> None:
        """Hand them on, or give back at once what came too late or is not to run beside the others."""
        now, kept, later = self._quarantine.part(runs)
        if not self._held.add(now + kept):
            now, kept, later = [], [], runs  # the stop came while the claim was under way
        for run in now:
            self._executor.submit(run)
        for run in kept:
            self._quarantine.keep(run)
        if later:
            self._give_back(later)
        if self._log.is_enabled_for(logging.DEBUG):
            for run in now + kept:
                self._log.debug("job.claimed", **run.about())

    def _claim(self, limit: int) -> list[Run]:
        """One short transaction, over before any handler runs (S1-44)."""
        asked_at = monotonic()
        with self._engine.begin() as conn:
            jobs = claim(
                conn,
                instance_id=self._instance.instance_id,
                job_types=self._instance.job_types,
                queues=self._instance.queues,
                after=self._last_queue,
                limit=limit,
                lease_seconds=self._lease_seconds,
            )
        if jobs:
            self._last_queue = jobs[-1].queue
        return [Run(job, renewed_at=asked_at) for job in jobs]

    def _give_back(self, runs: list[Run]) -> None:
        with self._engine.begin() as conn:
            release(conn, instance_id=self._instance.instance_id, claims=[run.job.claim for run in runs])
        for run in runs:
            self._log.info("job.released", **run.about())
