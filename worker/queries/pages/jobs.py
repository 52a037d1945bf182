"""The list of jobs, whatever it is narrowed to; payloads and traces stay where they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Subquery, select

from worker.queries.pages import keyset, sources
from worker.queries.pages.filters import Filters
from worker.queries.pages.keyset import Page
from worker.queries.pages.states import STATE
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

LINE = (
    job.c.id,
    job.c.handler_key,
    job.c.job_type,
    STATE.label("state"),
    job.c.queue,
    job.c.tenant_id,
    job.c.attempts,
    job.c.max_attempts,
    job.c.created_at,
    job.c.available_at,
    job.c.locked_at,
    job.c.locked_by,
    job.c.finished_at,
    job.c.error_type,
    job.c.error_summary,
)

EXPORTED = (*LINE, job.c.source, job.c.event_id, job.c.event_type, job.c.idempotency_key, job.c.replays)
BATCH = 1_000


def with_tenant(page: Subquery) -> Select[Any]:
    """The few rows of a page with their tenants' short names."""
    return select(page, tenant.c.slug.label("tenant")).outerjoin(tenant, tenant.c.id == page.c.tenant_id)


def read(
    conn: Connection,
    filters: Filters,
    *,
    tenant_id: UUID | None = None,
    before: str | None = None,
    after: str | None = None,
    most: int | None = None,
    now: datetime,
) -> Page:
    """One page of the list; `tenant_id` is that of the tenant the filters name."""
    at = keyset.place(sources.order(filters), before=before, after=after)
    listing = replace(sources.listing(filters, LINE, tenant_id=tenant_id, now=now), most=most)
    return keyset.read(conn, listing, at, dress=with_tenant, values={"at_now": now})


def batch(conn: Connection, filters: Filters, *, tenant_id: UUID | None, before: str | None, now: datetime) -> Page:
    """A thousand rows of the list, with more of each, for whoever reads all of it."""
    at = keyset.place(sources.order(filters), before=before, after=None)
    listing = replace(sources.listing(filters, EXPORTED, tenant_id=tenant_id, now=now), most=BATCH)
    return keyset.read(conn, listing, at, dress=with_tenant, values={"at_now": now})
