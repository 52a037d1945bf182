"""Event to handlers: which durable subscribers an event fans out to, and where their jobs wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worker.errors import ConfigurationError
from worker.guidance import UNSAID, Guidance, Replay, guidance
from worker.job_types import Handler
from worker.model import DEFAULT_MAX_ATTEMPTS, DEFAULT_QUEUE, RUN_SUBSCRIBER
from worker.redaction import OPEN, Redaction, redaction
from worker.settings import attempts_budget, queue_name


@dataclass(frozen=True, slots=True)
class Subscriber:
    """One durable subscriber; its id is stored on every job, so it outlives the module it lives in (S2-12)."""

    event_type: str
    subscriber_id: str
    handler: Handler
    queue: str = DEFAULT_QUEUE
    job_type: str = RUN_SUBSCRIBER
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    guidance: Guidance = UNSAID
    redaction: Redaction = OPEN


class Subscribers:
    """Every durable subscriber of this deployment; each process registers them all, even those it will not run."""

    def __init__(self, *, max_attempts: int = DEFAULT_MAX_ATTEMPTS) -> None:
        self._max_attempts = max_attempts
        self._by_id: dict[str, Subscriber] = {}

    def register(
        self,
        event_type: str,
        subscriber_id: str,
        handler: Handler,
        *,
        queue: str = DEFAULT_QUEUE,
        job_type: str = RUN_SUBSCRIBER,
        max_attempts: int | None = None,
        runbook: str | None = None,
        owner: str | None = None,
        replay: Replay | None = None,
        redact: Sequence[str] = (),
    ) -> None:
        """Subscribe durably; the queue belongs to the subscriber, and an invalid name raises here (S2-11 to S2-21)."""
        if not 1 <= len(event_type) <= 100:
            raise ConfigurationError(f"event type of {subscriber_id!r}: must be 1 to 100 characters")
        if not 1 <= len(subscriber_id) <= 200:
            raise ConfigurationError(f"subscriber id {subscriber_id[:50]!r}: must be 1 to 200 characters")
        if not callable(handler):
            raise ConfigurationError(f"subscriber {subscriber_id!r}: the handler is not callable")
        if subscriber_id in self._by_id:
            raise ConfigurationError(f"subscriber {subscriber_id!r} is registered already")
        budget = self._max_attempts if max_attempts is None else attempts_budget(max_attempts)
        told = guidance(f"subscriber {subscriber_id[:50]!r}", runbook=runbook, owner=owner, replay=replay)
        closed = redaction(f"subscriber {subscriber_id[:50]!r}", redact)
        self._by_id[subscriber_id] = Subscriber(
            event_type, subscriber_id, handler, queue_name(queue), job_type, budget, told, closed
        )

    def of(self, event_type: str) -> list[Subscriber]:
        """The subscribers of one event type, in the order of their ids."""
        return sorted(
            (each for each in self._by_id.values() if each.event_type == event_type),
            key=lambda each: each.subscriber_id,
        )

    def get(self, subscriber_id: str) -> Subscriber | None:
        """The subscriber of that id, when this process knows it."""
        return self._by_id.get(subscriber_id)

    def all(self) -> list[Subscriber]:
        """Every subscriber, in the order of their ids."""
        return sorted(self._by_id.values(), key=lambda each: each.subscriber_id)

    def queues(self) -> dict[str, str]:
        """Where each subscriber's jobs wait, by its id."""
        return {each.subscriber_id: each.queue for each in self._by_id.values()}

    def __len__(self) -> int:
        return len(self._by_id)
