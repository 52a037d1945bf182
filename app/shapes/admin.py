"""Tenants, their provisioning and their data, as the product's own programs put them in."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.bodies import Body
from app.shapes import MOST, Shape, Wanted


class NewTenant(Body):
    """A tenant to add."""

    slug: str
    display_name: str


class TenantsAfter(Wanted):
    """A page of the tenants."""

    after: Annotated[str | None, Field(description="Where the page begins; `next` has it.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST, description="Rows on one page.")] = 50


class Tenant(Shape):
    """A tenant."""

    id: UUID
    slug: str
    display_name: str
    onboarding_status: str
    created_at: datetime
    activated_at: datetime | None


class TenantPage(Shape):
    """One page of tenants in the order of their slugs; `next` is the address of the page after it."""

    tenants: list[Tenant]
    next: str | None


class Provision(Body):
    """Whether a provisioning that failed or was cancelled is to run again."""

    retry: bool = False


class Provisioning(Shape):
    """How far a tenant's provisioning is."""

    tenant_id: UUID
    status: str
    progress: float
    steps_completed: list[str]
    error_detail: str | None
    job_id: UUID | None
    attempts: int
    max_attempts: int
    next_attempt_at: datetime | None
    requested_at: datetime | None
    finished_at: datetime | None


class NamedDataset(Wanted):
    """The name of a dataset."""

    name: Annotated[str, Field(min_length=1, max_length=200, description="What the dataset is called.")]


class Dataset(Shape):
    """A dataset that was taken in."""

    id: UUID
    name: str
    rows: int
    columns: list[str]
    job_id: UUID


class Training(Shape):
    """The job that trains a model."""

    job_id: UUID
    status: str
    config_hash: str
