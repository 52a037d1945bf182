"""Acts on jobs, as they are ordered, and what would become of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.bodies import Body
from app.kinds import FAILURES, RATES
from app.shapes import Shape
from app.shapes.changes import Moment, Said, Why
from app.shapes.groups import Guidance
from app.shapes.jobs import JobFilters
from worker.queries.bulk_acts.acts import AT_MOST, Mode

Rate = Annotated[int, Field(ge=RATES[0], le=RATES[-1], description="Jobs a second, in the mode `rate`.")]
Failures = Annotated[int, Field(ge=FAILURES[0], le=FAILURES[-1], description="Stop once so many failed alike.")]


class NewAct(Body):
    """Jobs by id, or all that a list shows of one state; and how to go about it."""

    jobs: Annotated[tuple[UUID, ...], Field(max_length=1000, description="Jobs by id; or else `filters`.")] = ()
    filters: Annotated[JobFilters | None, Field(description="All that match, of a state that is moved.")] = None
    before: Annotated[Moment | None, Field(description="Only what was so by then; else by now.")] = None
    shown: Annotated[int, Field(ge=0, le=AT_MOST, description="Refuse it where more match than so many.")] = 0
    mode: Mode = Mode.ALL
    rate: Rate | None = None
    stop_after: Failures | None = None
    reason: Why | None = None


class NewCancellation(NewAct):
    """The same, and why."""

    reason: Said


class NewReassignment(NewAct):
    """The same, and the queue in which the jobs wait from then on."""

    to: Annotated[str, Field(min_length=1, max_length=100, description="The name of a queue.")]


class Kind(Shape):
    """Jobs of one type on one queue."""

    job_type: str
    queue: str


class Outlook(Shape):
    """What would become of some jobs: `moves` of those `chosen` would be moved, the `others` are of other states.

    `waits` says how many would wait for a worker that can run them, or for their queue to be resumed; `ahead` how many
    are due before them, `seconds` how long all of it takes at the present rate, null where nothing was finished lately.
    """

    before: datetime
    chosen: int
    moves: int
    others: dict[str, int]
    gone: int
    capped: bool
    oldest: datetime | None
    replayed_before: int
    handlers: dict[str, int]
    queues: dict[str, int]
    tenants: dict[str, int]
    workers: int
    unserved: list[Kind]
    paused: list[str]
    waits: dict[str, int]
    ahead: int
    seconds: float | None
    no_such_subscriber: list[str]
    guidance: dict[str, Guidance]
