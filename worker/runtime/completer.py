"""Write what claims came to: in batches, fenced, and for as long as their leases may last."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Event
from typing import TypeAlias
from uuid import UUID

from structlog.typing import FilteringBoundLogger

from worker.database import Engine, is_outage, is_retryable
from worker.failures import Failure
from worker.model import AttemptOutcome, Status
from worker.queries import wakeups
from worker.queries.claims import release
from worker.queries.outcomes import finish, written
from worker.queries.results import Result
from worker.runtime.held import Held, Run

_Ending: TypeAlias = tuple[Run, Result | None]
"""A claim that is over; without a result, one that never started and is given back."""

_BATCH = 1000
_UNWRITABLE = "The outcome could not be stored as it was."
_EVENTS = {
    AttemptOutcome.COMPLETED: (logging.DEBUG, "job.succeeded"),
    AttemptOutcome.CANCELLED: (logging.INFO, "job.cancelled"),
    AttemptOutcome.DEAD_LETTER: (logging.ERROR, "job.dead"),
}


class Completer:
    """Takes over ended claims from any thread; `tick` writes what has gathered and never waits for company."""

    def __init__(
        self,
        engine: Engine,
        held: Held,
        *,
        instance_id: str,
        lease_seconds: float,
        bell: Event,
        freed: Event,
        log: FilteringBoundLogger,
    ) -> None:
        self._engine = engine
        self._held = held
        self._instance_id = instance_id
        self._lease_seconds = lease_seconds
        self._bell = bell
        self._freed = freed
        self._log = log
        self._arrived: deque[_Ending] = deque()  # by any thread
        self._hand: dict[Run, Result | None] = {}  # by the completer's thread alone: taken, not yet written

    def finish(self, run: Run, result: Result) -> None:
        """Write this outcome soon."""
        self._arrived.append((run, result))
        if not self._bell.is_set():
            self._bell.set()

    def release(self, runs: Iterable[Run]) -> None:
        """Give claims that never started back soon, their attempts refunded."""
        self._arrived.extend((run, None) for run in runs)
        self._bell.set()

    def tick(self) -> bool:
        """Write what there is. An outage is raised, and the next tick tries again what may still be ours (A-14)."""
        while self._arrived and len(self._hand) < _BATCH:
            run, result = self._arrived.popleft()
            self._hand[run] = result
        try:
            self._give_back([run for run, result in self._hand.items() if result is None])
            self._write([(run, result) for run, result in self._hand.items() if result])
        except Exception:
            self._drop_what_others_may_hold()
            raise
        return bool(self._arrived)

    def _give_back(self, runs: Sequence[Run]) -> None:
        if not runs:
            return
        with self._engine.begin() as conn:
            back = release(conn, instance_id=self._instance_id, claims=[run.job.claim for run in runs])
            wakeups.wake(conn, channel=wakeups.JOBS)
        for run in runs:
            self._log.info("job.released" if run.job.id in back else "job.superseded", **run.about())
        self._done(runs)

    def _write(self, batch: Sequence[tuple[Run, Result]]) -> None:
        if not batch:
            return
        if self._held.sought:
            self._freed.set()  # before the write: the next claim is made while this batch is written
        try:
            statuses = self._finish([result for _, result in batch])
        except Exception as error:
            if is_outage(error) or is_retryable(error):
                raise
            for run, result in batch:
                self._write_alone(run, result)
        else:
            self._settle(batch, statuses)

    def _write_alone(self, run: Run, result: Result) -> None:
        """One of a batch that the database refused: as it is, else with a fixed text, else not at all (A-11)."""
        for text in (result.failure, result.failure and _fixed(result.failure)):
            try:
                statuses = self._finish([result._replace(failure=text)])
            except Exception as error:
                if is_outage(error) or is_retryable(error):
                    raise
                self._log.error("job.unwritable", **run.about(), error=type(error).__name__)
            else:
                return self._settle([(run, result)], statuses)
        return self._done([run])

    def _finish(self, results: Sequence[Result]) -> dict[UUID, Status]:
        with self._engine.begin() as conn:
            statuses = finish(conn, instance_id=self._instance_id, results=results)
            if len(statuses) < len(results):
                lost = [each for each in results if each.job.id not in statuses]
                before = written(conn, instance_id=self._instance_id, results=lost)
                statuses |= {each.job.id: each.status for each in lost if each.job.id in before}
            if any(each.retry_delay_seconds == 0 for each in results):
                wakeups.wake(conn, channel=wakeups.JOBS)
        return statuses

    def _settle(self, batch: Sequence[tuple[Run, Result]], statuses: dict[UUID, Status]) -> None:
        all_well = len(statuses) == len(batch) and not self._log.is_enabled_for(logging.DEBUG)
        for run, result in batch:
            if not (all_well and result.outcome is AttemptOutcome.COMPLETED):
                self._tell(run, result, statuses.get(run.job.id))
        self._done([run for run, _ in batch])
        if any(result.retry_delay_seconds is not None for _, result in batch):
            self._freed.set()  # the dispatcher waits no longer than until a retry's time

    def _tell(self, run: Run, result: Result, status: Status | None) -> None:
        if status is None:
            self._log.warning("job.superseded", **run.about(), outcome=result.outcome)
            return
        outcome = AttemptOutcome.CANCELLED if status == Status.CANCELLED else result.outcome
        level, event = _EVENTS.get(outcome, (logging.WARNING, "job.failed"))
        if not self._log.is_enabled_for(level):
            return
        error = {"error": result.failure.summary} if result.failure else {}
        self._log.log(level, event, **run.about(), run_ms=round(result.run_ms or 0), **error)

    def _drop_what_others_may_hold(self) -> None:
        hopeless = [run for run in self._hand if run.lease_is_over(self._lease_seconds)]
        for run in hopeless:
            self._log.error("job.dropped", **run.about(), error="the database was away for a whole lease")
        self._done(hopeless)

    def _done(self, runs: Sequence[Run]) -> None:
        for run in runs:
            del self._hand[run]
        among_suspects = self._held.holds_recovered()
        self._held.forget(runs)
        if among_suspects:
            self._freed.set()  # a suspect begins only once the others are written (see Quarantine)


def _fixed(failure: Failure) -> Failure:
    return replace(failure, summary=_UNWRITABLE, detail=_UNWRITABLE)
