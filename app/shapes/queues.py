"""Queues and job types: what waits, how fast it moves, why it waits."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from app.courses import MEDIAN, TAIL, Course
from app.shapes import Following, Shape, Wanted
from app.shapes.audit import Done
from app.shapes.groups import Guidance
from worker.queries.pages import loads, waits

Name = Annotated[str | None, Field(max_length=200)]


class NamesWanted(Following):
    """What a list of queues or job types is narrowed to."""

    q: Annotated[str, Field(max_length=200, description="A part of the name.")] = ""


class QueuesWanted(NamesWanted):
    """The same, of queues or of tenants."""

    by: Annotated[Literal["queue", "tenant"], Field(description="What a line stands for.")] = "queue"


class StandingWanted(Wanted):
    """How far back its course is told, and of which part."""

    span: Annotated[Literal["1h", "24h", "7d"], Field(description="How far back.")] = "1h"
    part: Annotated[Name, Field(description="One job type of a queue, or one queue of a job type.")] = None


class Pause(Shape):
    """That no job of a queue is taken."""

    queue: str
    paused_at: datetime
    paused_by: str
    paused_until: datetime | None
    reason: str


class Load(Shape):
    """The work of a queue, job type or tenant, its speed per minute, who takes it; `ready` is counted up to a limit."""

    name: str
    ready: int
    capped: bool
    since: datetime | None
    scheduled: int
    next_due: datetime | None
    retrying: int
    running: int
    dead: int
    arrived: float
    finished: float
    clears_in: float | None
    doubles_in: float | None
    pace: str
    late: bool
    paused: bool
    run_median: float | None
    run_p95: float | None
    takers: list[str]
    unserved: list[str]

    @classmethod
    def of(cls, load: loads.Load) -> Self:
        """The load as its line has it."""
        computed = {
            "run_median": load.run_seconds(MEDIAN),
            "run_p95": load.run_seconds(TAIL),
            "takers": [each.instance_id for each in load.takers],
            "unserved": sorted({each.job_type for each in load.unserved}),
        }
        plain = {name: getattr(load, name) for name in cls.model_fields.keys() - computed.keys()}
        return cls.model_validate(plain | computed)


class LoadPage(Shape):
    """One page of queues, job types or tenants, the fullest first."""

    at: datetime
    loads: list[Load]
    next_cursor: str | None


class Wait(Shape):
    """Some jobs of one kind that wait for one thing: `cause`."""

    cause: str
    queue: str
    job_type: str
    handler_key: str
    jobs: int
    since: datetime | None
    workers: list[str]
    slots: int
    free: int

    @classmethod
    def of(cls, wait: waits.Wait) -> Self:
        """The wait as its line has it."""
        told = {name: getattr(wait.of, name) for name in ("queue", "job_type", "handler_key")}
        facts = {name: getattr(wait, name) for name in ("cause", "jobs", "since", "slots", "free")}
        return cls(**told, **facts, workers=[each.instance_id for each in wait.workers])


class Slot(Shape):
    """What ended in one slot of time, in seconds how long it ran and had waited, and how many were ready."""

    at: datetime
    completed: int
    failed: int
    died: int
    run_median: float | None
    run_p95: float | None
    wait_median: float | None
    wait_p95: float | None
    ready: int | None


class Standing(Shape):
    """How a queue or a job type stands: in all, in its parts, why what is there waits, how it went, what was done."""

    name: str
    load: Load | None
    parts: list[Load]
    waits: list[Wait]
    pause: Pause | None
    guidance: Guidance
    course: list[Slot]
    acts: list[Done]


def slots(course: Course) -> list[Slot]:
    """The slots of a course, the oldest first."""
    return [
        Slot(
            at=slot.at,
            completed=slot.completed,
            failed=slot.failed,
            died=slot.died,
            run_median=slot.run_seconds(MEDIAN),
            run_p95=slot.run_seconds(TAIL),
            wait_median=slot.wait_seconds(MEDIAN),
            wait_p95=slot.wait_seconds(TAIL),
            ready=depth.ready if depth else None,
        )
        for slot, depth in zip(course.slots, course.depths, strict=True)
    ]
