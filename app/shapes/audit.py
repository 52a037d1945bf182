"""The audit trail."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from app.shapes import Paged, Shape

Name = Annotated[str | None, Field(max_length=100)]


class TrailWanted(Paged):
    """What the trail is narrowed to."""

    actor: Annotated[Name, Field(description="Who: an operator, `token:NAME`, `cli:NAME`.")] = None
    action: Annotated[Name, Field(description="What was done, in the trail's word.")] = None
    outcome: Annotated[Literal["done", "refused"] | None, Field(description="How it ended.")] = None
    job: Annotated[UUID | None, Field(description="The id of a job.")] = None
    tenant: Annotated[Name, Field(description="The slug of a tenant.")] = None


class Deed(Shape):
    """A row of the trail; of its jobs, whose number is `jobs`, the id of one."""

    id: int
    at: datetime
    actor: str
    action: str
    outcome: str
    target: str | None
    tenant_id: UUID | None
    tenant: str | None
    jobs: int
    job_id: UUID | None
    reason: str | None
    detail: dict[str, Any]
    address: str | None
    request_id: str | None


class Trail(Shape):
    """One page of the trail, the newest first; `looked_at` says after how many rows a search stopped."""

    deeds: list[Deed]
    next_cursor: str | None
    looked_at: int | None


class Done(Shape):
    """What was done to one thing."""

    at: datetime
    actor: str
    action: str
    reason: str | None
    detail: dict[str, Any]
