"""The values that travel between the database, the runtime and the console."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID

DEFAULT_QUEUE = "default"
DEFAULT_MAX_ATTEMPTS = 5
RUN_SUBSCRIBER = "run_subscriber"
RECOVERED = "Recovered after worker lease expired."
LEASE_EXPIRED = "LeaseExpired"


class Status(StrEnum):
    """What is stored in `platform_jobs.status` (S1-08)."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


TERMINAL = (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)

_ALIASES = {"pending": "queued", "claimed": "running", "completed": "succeeded", "dead_letter": "failed"}


def parse_status(word: str) -> Status:
    """The stored status for a word of either vocabulary; ValueError names the words that are known."""
    try:
        return Status(_ALIASES.get(word, word))
    except ValueError:
        raise ValueError(f"status must be one of {', '.join(Status)} (or {', '.join(_ALIASES)})") from None


class AttemptOutcome(StrEnum):
    """How one attempt ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    DEAD_LETTER = "dead_letter"
    LEASE_EXPIRED = "lease_expired"
    SUPERSEDED = "superseded"
    RELEASED = "released"
    ABANDONED = "abandoned"
    CANCELLED = "cancelled"


_NOISE = 0xFFF << 64 | (1 << 62) - 1
_MARKS = 0x7 << 76 | 0b10 << 62


def new_id() -> UUID:
    """A UUIDv7: unique without the database, and close in the index to its neighbours in time."""
    return new_ids(1)[0]


def new_ids(count: int) -> list[UUID]:
    """So many of them at once, at half the cost and in ascending order: jobs put in together run in the order given."""
    now = (time.time_ns() // 1_000_000 & 0xFFFF_FFFF_FFFF) << 80 | _MARKS
    noise = secrets.token_bytes(10 * count)
    parts = sorted(int.from_bytes(noise[at : at + 10]) & _NOISE for at in range(0, 10 * count, 10))
    return [UUID(int=now | part) for part in parts]


@dataclass(frozen=True, slots=True)
class Event:
    """A fact to publish; ids only in its payload, for it is stored as it is and dead letters are kept (S2-128)."""

    event_type: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    source: str = "api"
    event_id: str = field(default_factory=lambda: str(new_id()))
    occurred_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    tenant_id: UUID | None = None
    schema_version: int = 1
    metadata: Mapping[str, Any] | None = None
    traceparent: str | None = None
    """The span that the event belongs to, as W3C writes it; the one under way if nothing is said."""


@dataclass(frozen=True)
class Job:
    """One claimed job as its handler sees it; the payload is parsed when it is first read (A-35)."""

    id: UUID
    job_type: str
    queue: str
    payload_text: str
    attempts: int
    max_attempts: int
    generation: int
    locked_at: datetime
    created_at: datetime
    available_at: datetime
    tenant_id: UUID | None = None
    event_id: str | None = None
    event_type: str | None = None
    subscriber_id: str | None = None
    source: str = "api"
    schema_version: int = 1
    steps_text: str = "[]"
    recovered: bool = False
    """Whether the worker of the attempt before fell silent, perhaps because of this job."""
    traceparent: str | None = None
    """The span that asked for it, as W3C writes it."""

    @classmethod
    def of_columns(cls, columns: Iterable[Any]) -> Job:
        """The job whose fields are these, in order; a frozen dataclass's own constructor takes three times as long."""
        made = cls.__new__(cls)
        made.__dict__.update(zip(_FIELDS, columns, strict=True))
        return made

    @cached_property
    def steps_completed(self) -> tuple[str, ...]:
        """The steps that need not be done again (S1-10)."""
        return tuple(json.loads(self.steps_text))

    @cached_property
    def payload(self) -> Any:
        """The parsed payload; ValueError when the stored text is beyond what Python reads."""
        try:
            return json.loads(self.payload_text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"payload unreadable: {type(error).__name__}") from None

    @property
    def handler_key(self) -> str:
        """The subscriber of an event job, else the job type: what decides which handler runs."""
        return self.subscriber_id or self.job_type

    @property
    def claim(self) -> tuple[UUID, int]:
        """The fence: every later write about this claim matches it."""
        return self.id, self.generation


_FIELDS = tuple(each.name for each in fields(Job))
