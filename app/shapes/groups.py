"""Groups of dead letters."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from app.shapes import Shape, Wanted
from app.shapes.audit import Done
from app.shapes.releases import ToldRelease


class InboxWanted(Wanted):
    """Which groups are looked at."""

    view: Annotated[
        Literal["open", "mine", "snoozed", "resolved", "all"], Field(description="By what people made of them.")
    ] = "open"


class Group(Shape):
    """One error; `counts` are its dead letters in equal slots of time from `axis_from` to now."""

    fingerprint: str
    handler_key: str
    job_type: str
    queue: str
    error_type: str | None
    error_summary: str | None
    jobs: int
    capped: bool
    tenants: int
    first_at: datetime
    last_at: datetime
    state: str
    state_at: datetime | None
    state_by: str | None
    assignee: str | None
    note: str | None
    snoozed_until: datetime | None
    snooze_rate: int | None
    resolved_in: str | None
    split_from: str | None
    axis_from: datetime
    counts: list[int]


class Inbox(Shape):
    """The groups that grew last, a hundred at most, and how many groups each view has."""

    groups: list[Group]
    tally: dict[str, int]


class Trait(Shape):
    """How many of the dead letters that were read have something; `name` is null for those that have none."""

    name: str | None
    jobs: int


class Traits(Shape):
    """What the newest dead letters of a group share, counted over those that were `read`."""

    tenants: list[Trait]
    workers: list[Trait]
    releases: list[Trait]
    queues: list[Trait]
    replayed: int
    read: int


class Message(Shape):
    """A message, and how many of the newest say it."""

    message: str | None
    jobs: int


class Rule(Shape):
    """That groups belong together, or were taken apart."""

    fingerprint: str
    title: str | None
    merged_into: str | None
    split_from: str | None
    is_split: bool


class Guidance(Shape):
    """What was declared beside the handler: what to read, whom to ask, whether a repeat does harm."""

    runbook: str | None
    owner: str | None
    replay: str | None


class WholeGroup(Group):
    """A group with what its dead letters share, what explains it, and what was done to it."""

    traits: Traits
    trace: str | None
    release: ToldRelease | None
    guidance: Guidance
    messages: list[Message]
    rules: list[Rule]
    acts: list[Done]
    text: str
