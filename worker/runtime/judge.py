"""From what a handler did to what becomes of its job."""

from __future__ import annotations

from time import monotonic

from worker.backoff import DIRECT, event_backoff
from worker.errors import JobCancelled, UnknownJobType
from worker.failures import Failure, describe, fingerprint
from worker.handlers import Registry
from worker.job_types import EMAIL_JOB_TYPE
from worker.model import AttemptOutcome, Job
from worker.queries.results import Result
from worker.runtime.held import Run
from worker.settings import WorkerSettings

INTERRUPTED = "Interrupted by worker shutdown."


class Judge:
    """Knows the budgets and the delays; the claim brought attempts and ceiling, so no row is read again."""

    def __init__(self, registry: Registry, settings: WorkerSettings) -> None:
        self._job_types = registry.job_types
        self._event_backoff = event_backoff(settings.backoff_base_seconds, settings.backoff_max_seconds)

    def result(self, run: Run, error: BaseException | None) -> Result:
        """The outcome of a handler that returned, or raised `error`.

        A normal return counts whatever was signalled before it (S2-137, A-50); after a request to cancel, an exception
        is the answer to it and no reason for another attempt. Giving up a lost lease is no cancel.
        """
        run_ms = _run_ms(run)
        if error is None:
            return Result(run.job, AttemptOutcome.COMPLETED, run_ms)
        if isinstance(error, JobCancelled) and (run.signal.cancel_requested or not run.signal.lease_lost):
            return Result(run.job, AttemptOutcome.CANCELLED, run_ms)
        failure = describe(
            error, handler_key=run.job.handler_key, withhold=run.job.job_type == EMAIL_JOB_TYPE
        )  # fmt: skip
        if run.signal.cancel_requested:
            return Result(run.job, AttemptOutcome.CANCELLED, run_ms, failure=failure)
        outcome = AttemptOutcome.ABANDONED if run.overran else AttemptOutcome.FAILED
        return _within_budget(Result(run.job, outcome, run_ms, self._delay(run.job), failure))

    def interrupted(self, run: Run) -> Result:
        """The outcome of a handler that outlived its worker: the attempt is spent, the next may start at once."""
        key = run.job.handler_key
        failure = Failure("Interrupted", INTERRUPTED, INTERRUPTED, fingerprint(key, "Interrupted", INTERRUPTED))
        return _within_budget(Result(run.job, AttemptOutcome.FAILED, _run_ms(run), 0, failure))

    def _delay(self, job: Job) -> float:
        if job.subscriber_id is not None:
            return self._event_backoff.delay(job.attempts)
        try:
            return self._job_types.get(job.job_type).backoff.delay(job.attempts)
        except UnknownJobType:
            return DIRECT.delay(job.attempts)


def _within_budget(result: Result) -> Result:
    """The same, or a dead letter when no attempt is left."""
    if result.job.attempts < result.job.max_attempts:
        return result
    return result._replace(outcome=AttemptOutcome.DEAD_LETTER, retry_delay_seconds=None)


def _run_ms(run: Run) -> float | None:
    return None if run.started_at is None else (monotonic() - run.started_at) * 1000
