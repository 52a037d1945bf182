"""What a claim came to, as it is written: the job it was of, the outcome, and what becomes of the job."""

from __future__ import annotations

from typing import NamedTuple

from worker.failures import Failure
from worker.model import AttemptOutcome, Job, Status
from worker.queries import attempts


class Result(NamedTuple):
    """How a claim ended: with `retry_delay_seconds` it is tried again; `run_ms` is None when it never started."""

    job: Job
    outcome: AttemptOutcome
    run_ms: float | None = None
    retry_delay_seconds: float | None = None
    failure: Failure | None = None

    @property
    def status(self) -> Status:
        """What the job becomes."""
        if self.retry_delay_seconds is not None:
            return Status.QUEUED
        return _BECOMES.get(self.outcome, Status.FAILED)

    def outcome_as(self, status: Status) -> AttemptOutcome:
        """The outcome of the attempt whose job became that: a cancel has the last word."""
        return AttemptOutcome.CANCELLED if status == Status.CANCELLED else self.outcome

    def ended_as(self, status: Status) -> attempts.Ended:
        """The attempt whose job became that."""
        job = self.job
        ended: attempts.Ended = {
            "job_id": job.id,
            "generation": job.generation,
            "attempt": job.attempts,
            "claimed_at": job.locked_at,
            "outcome": self.outcome_as(status),
            "run_ms": self.run_ms,
        }
        if self.failure:
            ended["error"] = self.failure.detail
        if status == Status.QUEUED and self.retry_delay_seconds is not None:
            ended["retry_seconds"] = self.retry_delay_seconds
        return ended


_BECOMES = {AttemptOutcome.COMPLETED: Status.SUCCEEDED, AttemptOutcome.CANCELLED: Status.CANCELLED}
