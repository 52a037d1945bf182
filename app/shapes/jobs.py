"""A job, on a line of a list and with its whole story."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Annotated, Any, Literal, NoReturn
from uuid import UUID

from pydantic import Field

from app.shapes import Paged, Shape, Wanted

Words = Annotated[str | None, Field(max_length=500)]


class JobFilters(Wanted):
    """What a list of jobs is narrowed to, in the words of the search box."""

    status: Annotated[
        Literal["queued", "ready", "scheduled", "retrying", "running", "succeeded", "failed", "cancelled"] | None,
        Field(description="The status of the jobs; `failed` are the dead letters."),
    ] = None
    type: Annotated[Words, Field(description="A job type, or the id of a subscriber.")] = None
    queue: Annotated[Words, Field(description="The name of a queue.")] = None
    tenant: Annotated[Words, Field(description="The slug of a tenant.")] = None
    worker: Annotated[Words, Field(description="An instance or a component: what it holds now.")] = None
    event: Annotated[Words, Field(description="The id of an event: its jobs.")] = None
    key: Annotated[Words, Field(description="An idempotency key.")] = None
    group: Annotated[Words, Field(description="The fingerprint of a group of dead letters.")] = None
    action: Annotated[int | None, Field(ge=0, lt=2**62, description="The number of a row of the trail.")] = None
    error: Annotated[Words, Field(description="Words of the error; those within quotes stand together.")] = None
    since: Annotated[Words, Field(description="Put in since a time, or so long ago as in `24h`.")] = None
    until: Annotated[Words, Field(description="Put in before a time, or so long ago.")] = None
    age: Annotated[Words, Field(description="Older or younger than, as in `>2h`.")] = None
    sort: Annotated[
        Literal["-created", "created", "-ended", "ended", "-started", "started", "claimed", "due", "-due"] | None,
        Field(description="The order; a `-` before it means the last first."),
    ] = None
    q: Annotated[Words, Field(description="What the search box takes, as in `queue:mail payload.order.id:7`.")] = None


class JobsWanted(Paged, JobFilters):
    """The same, a page at a time."""


class JobLine(Shape):
    """A job on a line of a list."""

    id: UUID
    handler_key: str
    job_type: str
    state: str
    queue: str
    tenant_id: UUID | None
    tenant: str | None
    attempts: int
    max_attempts: int
    created_at: datetime
    available_at: datetime
    locked_at: datetime | None
    locked_by: str | None
    finished_at: datetime | None
    error_type: str | None
    error_summary: str | None


class JobPage(Shape):
    """One page of jobs; `looked_at` says after how many rows a search stopped, which `next_cursor` goes on from."""

    jobs: list[JobLine]
    next_cursor: str | None
    looked_at: int | None


class Attempt(Shape):
    """An attempt that ended."""

    generation: int
    attempt: int
    worker_id: str
    claimed_at: datetime
    started_at: datetime | None
    finished_at: datetime
    outcome: str
    retry_at: datetime | None
    error: str | None


class JobAction(Shape):
    """What somebody did to a job."""

    id: int
    at: datetime
    actor: str
    action: str
    reason: str | None


class Sibling(Shape):
    """Another job of the same event."""

    id: UUID
    handler_key: str
    queue: str
    state: str
    created_at: datetime
    finished_at: datetime | None


class Copy(Shape):
    """That a job was made anew from another one."""

    original_id: UUID
    copy_id: UUID
    at: datetime
    made_by: str


class Job(JobLine):
    """A job, and what happened to it; of its payload what is closed to the eye stands as `[redacted]`."""

    event_id: str | None
    event_type: str | None
    subscriber_id: str | None
    source: str
    idempotency_key: str | None
    generation: int
    replays: int
    progress: float | None
    lease_expires_at: datetime | None
    cancel_requested_at: datetime | None
    error_detail: str | None
    error_fingerprint: str | None
    payload: Any
    payload_bytes: int
    trace_id: str | None
    trace_url: str | None
    attempts_made: list[Attempt]
    actions: list[JobAction]
    siblings: list[Sibling]
    copies: list[Copy]


def value_of(text: str) -> Any:
    """What a stored text says, whole numbers exact; the text itself where it was cut, or is more than JSON can say."""
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _refused(text: str) -> NoReturn:
    raise ValueError(text)
