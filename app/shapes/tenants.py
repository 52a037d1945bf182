"""Tenants: how far each is set up, step by step, its open work and what it has."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field

from app.provisioning_steps import Step
from app.shapes import Following, Shape
from app.shapes.audit import Done
from app.shapes.jobs import Attempt, JobLine
from app.shapes.queues import Slot, StandingWanted
from worker.queries.pages import provisioning


class TenantsWanted(Following):
    """What the list of tenants is narrowed to."""

    q: Annotated[str, Field(max_length=200, description="A part of the slug or the name, or an id.")] = ""
    state: Annotated[
        Literal["created", "provisioning", "stopped", "stuck", "active", "suspended"] | None,
        Field(description="Where its provisioning stands."),
    ] = None
    step: Annotated[str | None, Field(max_length=100, description="The step that it is at.")] = None


class TenantWanted(StandingWanted):
    """How far back its course is told, and of which queue or job type."""


class ProvisioningLine(Shape):
    """How far a provisioning is; `step` is the one it is at, null when all are done."""

    stage: str
    step: str | None
    done: int
    steps: int
    job_id: UUID | None
    attempts: int
    max_attempts: int
    next_try_at: datetime | None
    since: datetime | None
    error: str | None
    cancelling: bool


class OpenWork(Shape):
    """What a tenant has to be done."""

    ready: int
    ready_since: datetime | None
    scheduled: int
    next_due: datetime | None
    running: int
    dead: int


class TenantLine(Shape):
    """A tenant on a line of the list; `stuck` says why its provisioning does not get on."""

    id: UUID
    slug: str
    display_name: str
    onboarding_status: str
    created_at: datetime
    activated_at: datetime | None
    provisioning: ProvisioningLine
    load: OpenWork | None
    stuck: str | None

    @classmethod
    def of(cls, row: Any, load: Any, *, stuck: str | None) -> Self:
        """The line of a tenant's row and its open work."""
        facts = {name: getattr(row, name) for name in cls.model_fields.keys() & row._mapping.keys()}
        told = ProvisioningLine.model_validate(provisioning.of(row))
        return cls(**facts, provisioning=told, load=OpenWork.model_validate(load) if load else None, stuck=stuck)


class TenantLines(Shape):
    """One page of tenants: who needs a person first, then who is under way, then the others."""

    tenants: list[TenantLine]
    next_cursor: str | None


class StepRun(Shape):
    """One try at a step."""

    generation: int
    started_at: datetime
    finished_at: datetime | None
    outcome: str | None
    error: str | None


class ProvisioningStep(Shape):
    """A step of the provisioning, in seconds how long it took and usually takes, and its tries."""

    number: int
    name: str
    state: str
    took: float | None
    usual_median: float | None
    usual_p95: float | None
    is_late: bool
    failures: int
    runs: list[StepRun]

    @classmethod
    def of(cls, step: Step) -> Self:
        """The step as the page tells it."""
        plain = ("number", "name", "state", "took", "is_late", "failures")
        return cls(
            **{name: getattr(step, name) for name in plain},
            usual_median=step.usual.median if step.usual else None,
            usual_p95=step.usual.p95 if step.usual else None,
            runs=[StepRun.model_validate(run) for run in step.runs],
        )


class DatasetLine(Shape):
    """A dataset, and when its insights were computed."""

    id: UUID
    name: str
    row_count: int
    created_at: datetime
    computed_at: datetime | None


class TenantWhole(Shape):
    """A tenant with its provisioning, its open work, how its jobs went, its newest jobs and what it has."""

    tenant: TenantLine
    steps: list[ProvisioningStep]
    attempts: list[Attempt]
    actions: list[Done]
    course: list[Slot]
    jobs: list[JobLine]
    dead: list[JobLine]
    datasets: list[DatasetLine]
