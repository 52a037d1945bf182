"""Tell handlers in time that their claim cannot be trusted any more; reads clocks, so no outage holds it up."""

from __future__ import annotations

from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.runtime.completer import Completer
from worker.runtime.held import Held, Run
from worker.settings import WorkerSettings


class Fence:
    """The two bounds that a worker sets itself: silence towards the database, and the run time of a job."""

    def __init__(
        self, held: Held, completer: Completer, *, settings: WorkerSettings, log: FilteringBoundLogger
    ) -> None:
        self._held = held
        self._completer = completer
        self._longest_silence_seconds = settings.lease_seconds - settings.heartbeat_interval_seconds
        self._max_runtime_seconds = settings.max_runtime_seconds
        self._log = log

    def tick(self) -> bool:
        """Look at every claim that is not over."""
        now = monotonic()
        for run in self._held.all():
            if run.ended:
                continue
            if not run.overran and run.started_at is not None and now - run.started_at >= self._max_runtime_seconds:
                self._overrun(run)
            if not run.signal.lease_lost and now - run.renewed_at >= self._longest_silence_seconds:
                self._silence(run)
        return False

    def _overrun(self, run: Run) -> None:
        """No longer renewed, told once, and nothing waits behind it (S2-130 to S2-134)."""
        self._held.overrun(run)
        self._log.error("job.overran", **run.about(), max_runtime_seconds=self._max_runtime_seconds)
        self._completer.release(self._held.take_waiting())

    def _silence(self, run: Run) -> None:
        """Stop it one beat before another worker may take the job (S2-135)."""
        run.signal.lease_lost = True
        self._log.warning("lease.fenced", **run.about())
