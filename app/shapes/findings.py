"""What needs a person, and from when on it is told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from app.shapes import Shape, Wanted


class Finding(Shape):
    """One thing that needs a person, or should not be forgotten: its kind, how bad, and how many it stands for."""

    kind: str
    title: str
    level: str
    things: int


class Overview(Shape):
    """What needs a person now, the worst first, and the figures; rates are per minute."""

    at: datetime
    findings: list[Finding]
    people: int
    ready: int
    ready_since: datetime | None
    scheduled: int
    running: int
    dead: int
    arrived: float
    finished: float
    failed: float
    attempts: float
    workers_live: int
    workers_silent: int
    busy: int
    slots: int
    unserved: list[str]
    paused: list[str]
    tenants: dict[str, int]


class FindingsWanted(Wanted):
    """Another limit to be tried, which changes nothing."""

    kind: Annotated[str | None, Field(max_length=50, description="The kind whose limit is tried.")] = None
    limit: Annotated[float | None, Field(gt=0, lt=1e12, description="The limit that is tried.")] = None


class FindingKind(Shape):
    """A kind of trouble: its limit, how bad it is now, and how often it was told anew in the last seven days."""

    name: str
    title: str
    unit: str
    setting: str | None
    limit: float
    worst: float
    told: bool
    fired: int
    tried: float | None
    would: int | None


class Rehearsal(Shape):
    """Every kind of trouble, and for how many seconds of the last seven days there are samples to tell from."""

    kinds: list[FindingKind]
    watched_seconds: float
