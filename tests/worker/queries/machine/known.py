"""One job as it should be; the names of the fields are those of the columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from worker.model import LEASE_EXPIRED, AttemptOutcome, Status

LEASE = timedelta(seconds=30)


@dataclass
class Ended:
    """One attempt that is over."""

    generation: int
    attempt: int
    worker_id: str
    claimed_at: datetime
    outcome: AttemptOutcome
    retry_at: datetime | None = None


@dataclass
class Known:
    """A job; each method is one transition and says what the row must be after it."""

    id: UUID
    job_type: str
    queue: str
    max_attempts: int
    created_at: datetime
    available_at: datetime
    tenant_id: UUID | None = None
    idempotency_key: str | None = None
    event_id: str | None = None
    subscriber_id: str | None = None
    status: Status = Status.QUEUED
    attempts: int = 0
    generation: int = 0
    replays: int = 0
    progress: int = 0
    error_type: str | None = None
    locked_by: str | None = None
    locked_at: datetime | None = None
    lease_expires_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    finished_at: datetime | None = None
    history: list[Ended] = field(default_factory=list)

    @property
    def handler_key(self) -> str:
        """What the statistics count it under."""
        return self.subscriber_id or self.job_type

    @property
    def place(self) -> tuple[datetime, UUID]:
        """Where it stands in its queue's line."""
        return self.created_at, self.id

    def is_held(self, worker: str, generation: int) -> bool:
        """Whether this claim is the one that counts."""
        return self.status == Status.RUNNING and (self.locked_by, self.generation) == (worker, generation)

    def is_stale(self, now: datetime) -> bool:
        """Whether its worker fell silent."""
        return self.lease_expires_at is not None and self.lease_expires_at < now

    def claim(self, worker: str, now: datetime) -> None:
        """Queued to running: the attempt counts from here, and the fence goes up."""
        self.status, self.locked_by, self.locked_at, self.lease_expires_at = Status.RUNNING, worker, now, now + LEASE
        self.attempts += 1
        self.generation += 1

    def finish(self, outcome: AttemptOutcome, becomes: Status, delay: int, error: str | None, now: datetime) -> None:
        """Running to what its handler came to; nothing is tried again after a request to cancel (A-50)."""
        if self.cancel_requested_at and becomes != Status.SUCCEEDED:
            outcome, becomes = AttemptOutcome.CANCELLED, Status.CANCELLED
        again = becomes == Status.QUEUED
        if again:
            self.available_at = now + timedelta(seconds=delay)
        if becomes == Status.SUCCEEDED:
            self.progress = 100
        self.error_type = error
        self._end(outcome, becomes, now, self.available_at if again else None)

    def release(self, now: datetime) -> None:
        """Running to what it would be had it not been taken, but for the fence and the history (S2-133, A-51)."""
        self._end(AttemptOutcome.RELEASED, Status.CANCELLED if self.cancel_requested_at else Status.QUEUED, now)
        self.attempts -= 1

    def recover(self, now: datetime) -> None:
        """Running to queued, or to its end at the ceiling or after a request to cancel (S1-113, S1-114)."""
        spent = Status.FAILED if self.attempts >= self.max_attempts else Status.QUEUED
        self.available_at, self.error_type = now, LEASE_EXPIRED
        self._end(AttemptOutcome.LEASE_EXPIRED, Status.CANCELLED if self.cancel_requested_at else spent, now)

    def supersede(self, worker: str, generation: int) -> bool:
        """Whether a result came after another worker had taken the job: the job ran twice (S2-143)."""
        lost = (generation, worker, AttemptOutcome.LEASE_EXPIRED)
        for each in self.history:
            if (each.generation, each.worker_id, each.outcome) == lost and self.generation > generation:
                each.outcome = AttemptOutcome.SUPERSEDED
                return True
        return False

    def requeue(self, now: datetime) -> None:
        """Failed or cancelled to queued with a new budget; fence, progress and history stay (S1-33, S2-104)."""
        self.status, self.attempts, self.available_at = Status.QUEUED, 0, now
        self.error_type = self.cancel_requested_at = self.finished_at = None
        self.replays += 1

    def cancel(self, now: datetime) -> None:
        """Queued or failed to cancelled; running is asked to stop, once."""
        if self.status == Status.RUNNING:
            self.cancel_requested_at = now
        else:
            self.status, self.finished_at, self.cancel_requested_at = Status.CANCELLED, now, None

    def _end(self, outcome: AttemptOutcome, becomes: Status, now: datetime, retry_at: datetime | None = None) -> None:
        assert self.locked_by
        assert self.locked_at
        ended = Ended(self.generation, self.attempts, self.locked_by, self.locked_at, outcome, retry_at)
        self.history.append(ended)
        self.status, self.finished_at = becomes, None if becomes == Status.QUEUED else now
        self.locked_by = self.locked_at = self.lease_expires_at = None
