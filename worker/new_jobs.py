"""What a producer asks for, and the door: a job that cannot be kept is refused here by name, before any SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

from worker.errors import InvalidInput
from worker.job_types import EMAIL_JOB_TYPE, PROVISION_JOB_TYPE, JobType, JobTypes
from worker.model import Status
from worker.payloads import check, clean_text
from worker.sealed_mail import is_sealed
from worker.settings import attempts_budget, queue_name
from worker.tracing.context import valid

Kept = TypeVar("Kept")

LONGEST_DELAY_SECONDS = 366 * 86_400


# These are not frozen, which would triple what it costs to make one: they are made by the thousand.
@dataclass(slots=True)
class NewJob:
    """A job to enqueue; what is left out comes from its job type. `delay_seconds` counts on the database's clock.

    Without an `id` it is given one. Whoever may have to repeat a request gives an idempotency key, or at least the id.
    """

    job_type: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    tenant_id: UUID | None = None
    queue: str | None = None
    idempotency_key: str | None = None
    max_attempts: int | None = None
    available_at: datetime | None = None
    delay_seconds: float = 0
    source: str = "api"
    metadata: Mapping[str, Any] | None = None
    id: UUID | None = None
    traceparent: str | None = None
    """The span that the job belongs to, as W3C writes it; the one under way if nothing is said."""


@dataclass(slots=True)
class Enqueued:
    """What an enqueue came to: the job's id, whether this call made it, and its status now (A-58)."""

    id: UUID
    created: bool
    status: Status


@dataclass(slots=True)
class Admitted:
    """Jobs that may come in, as JSON has them."""

    shared: dict[str, Any]
    """Type, queue, budget and source of the first, and of all whose row does not say otherwise."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    """At most how many bytes each one's payload and metadata take."""
    several: bool = field(default=False, compare=False)
    """Whether they were asked for on more than one queue."""

    @property
    def queue(self) -> str | None:
        """The queue that all of them are for."""
        return None if self.several else self.shared.get("queue")

    def within(self, traceparent: str | None) -> Admitted:
        """The same, as part of this span where they do not say of which."""
        if traceparent:
            for row in self.rows:
                row.setdefault("traceparent", traceparent)
        return self

    def part(self, start: int, end: int) -> Admitted:
        """Some of them."""
        return Admitted(self.shared, self.rows[start:end], self.sizes[start:end])


class Door:
    """Lets in what can be kept: the checks that many jobs have in common are made once."""

    def __init__(self, job_types: JobTypes) -> None:
        self._job_types = job_types
        self._heads: dict[tuple[Any, ...], dict[str, Any]] = {}

    def admit(self, news: Iterable[NewJob], *, traceparent: str | None = None) -> Admitted:
        """Every job as a row; UnknownJobType or InvalidInput if one cannot be kept (S1-29, S2-20, A-32 to A-44).

        `traceparent` is for those that do not say which span they belong to.
        """
        admitted = Admitted({})
        asked: tuple[Any, ...] = ()
        head: dict[str, Any] = {}
        for new in news:
            payload, metadata, budget, due = new.payload, new.metadata, new.max_attempts, new.available_at
            row: dict[str, Any] = {"payload": payload}
            size = check(payload) if metadata is None else check(payload) + check(metadata, field="metadata")
            rest = (new.idempotency_key, new.tenant_id, new.id, new.delay_seconds, due, metadata, new.traceparent)
            if rest != _ORDINARY or not payload or new.job_type in _PARTICULAR:
                row |= _particulars(new)
            before, asked = asked, (new.job_type, new.queue, budget, type(budget), new.source)
            if asked != before:
                head = self._head(new, asked)
                admitted.shared = admitted.shared or head
                admitted.several |= head["queue"] != admitted.shared["queue"]
            if head is not admitted.shared:
                row |= head
            admitted.rows.append(row)
            admitted.sizes.append(size)
        return admitted.within(traceparent)

    def _head(self, new: NewJob, asked: tuple[Any, ...]) -> dict[str, Any]:
        kind = self._job_types.get(new.job_type)
        checked = (kind.queue, kind.max_attempts, *asked)
        if (head := self._heads.get(checked)) is None:
            if len(self._heads) == _MOST_HEADS:
                self._heads.clear()
            head = self._heads[checked] = _checked(kind, new)
        return head


door = lru_cache(16)(Door)
"""The door for a registry, which remembers what it has checked."""

_ORDINARY: tuple[Any, ...] = (None, None, None, 0, None, None, None)
_PARTICULAR = {EMAIL_JOB_TYPE, PROVISION_JOB_TYPE}
_MOST_HEADS = 1000


def _checked(kind: JobType, new: NewJob) -> dict[str, Any]:
    budget = kind.max_attempts if new.max_attempts is None else _kept(attempts_budget, new.max_attempts, "max_attempts")
    return {
        "job_type": kind.name,
        "queue": kind.queue if new.queue is None else _kept(queue_name, new.queue, "queue"),
        "max_attempts": budget,
        "source": clean_text(new.source, field="source", limit=50),
    }


def _particulars(new: NewJob) -> dict[str, Any]:
    """What few jobs have, as far as this one has it."""
    if not isinstance(new.payload, Mapping | list | tuple):  # the types say so, but not everybody checks them
        raise InvalidInput("payload", "is not a document")
    if new.job_type == EMAIL_JOB_TYPE and not is_sealed(new.payload):
        raise InvalidInput("payload", "send_email takes only the encrypted envelope")
    if new.job_type == PROVISION_JOB_TYPE and new.tenant_id is None:
        raise InvalidInput("tenant_id", "provision_tenant needs one")
    row = {
        "id": _uuid(new.id, "id"),
        "tenant_id": _uuid(new.tenant_id, "tenant_id"),
        "idempotency_key": _key(new.idempotency_key),
        "available_at": _instant(new.available_at),
        "delay_seconds": _delay(new.delay_seconds) or None,
        "metadata": new.metadata,
        "traceparent": valid(new.traceparent),
    }
    return {name: value for name, value in row.items() if value is not None}


def _kept(rule: Callable[[object], Kept], value: object, field: str) -> Kept:
    try:
        return rule(value)
    except ValueError as refusal:
        raise InvalidInput(field, str(refusal).removeprefix("max_attempts ")) from None


def _uuid(value: object, field: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, UUID):
        return str(value)
    raise InvalidInput(field, "must be a UUID")


def _key(key: str | None) -> str | None:
    if key is None:
        return None
    if cleaned := clean_text(key, field="idempotency_key", limit=255):
        return cleaned
    raise InvalidInput("idempotency_key", "must not be empty")


def _delay(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LONGEST_DELAY_SECONDS:
        return value
    raise InvalidInput("delay_seconds", "must be a number from 0 to a year")


def _instant(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInput("available_at", "must be a time that carries its zone")
    return value.astimezone(UTC).isoformat()
