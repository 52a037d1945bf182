"""Tenants one per line: what each has open, how fast it comes and goes, and why it waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from worker.queries import tenants
from worker.queries.pages import loads, tenant_backlog, tenant_flows, waits
from worker.queries.pages.figures import Figures
from worker.queries.pages.loads import Load
from worker.queries.pages.waits import Wait


@dataclass(frozen=True, slots=True)
class Line:
    """One tenant: the counts of its row, its speed, and the worst reason for which its first jobs wait."""

    row: Any
    load: Load
    wait: Wait | None


@dataclass(frozen=True, slots=True)
class Counts:
    """What a row of `tenant_loads` has, of a tenant whose figures are at hand."""

    tenant_id: UUID
    slug: str
    display_name: str
    ready: int
    ready_since: datetime | None
    scheduled: int
    next_due: datetime | None
    running: int
    dead: int


def read(conn: Connection, figures: Figures, rows: Sequence[Any]) -> list[Line]:
    """The lines of the rows of `tenant_loads`, in their order."""
    ids = [row.tenant_id for row in rows]
    heads = tenant_backlog.heads(conn, tenant_ids=ids, now=figures.at)
    flows = tenant_flows.read(conn, tenant_ids=ids, now=figures.at)
    return [_line(figures, row, heads.get(row.tenant_id, []), flows.get(row.tenant_id, [])) for row in rows]


def own(conn: Connection, figures: Figures, *, tenant_id: UUID) -> list[Line]:
    """The line of the tenant whose figures they are, if it has open work: no job is counted again for it."""
    tenant = tenants.by_id(conn, tenant_id=tenant_id)
    if not tenant or not figures.backlog:
        return []
    ready = sum(figures.depths.ready.values())
    load = loads.load(figures, tenant.slug, list(figures.backlog), list(figures.hour.flows), ready=ready)
    counts = Counts(
        tenant_id,
        tenant.slug,
        tenant.display_name,
        ready,
        load.since,
        load.scheduled,
        load.next_due,
        load.running,
        load.dead,
    )
    return [Line(counts, load, next(iter(waits.read(figures, figures.backlog)), None))]


def _line(figures: Figures, row: Any, head: list[Any], flows: list[Any]) -> Line:
    load = loads.load(figures, row.slug, head, flows, ready=row.ready)
    return Line(row, load, next(iter(waits.read(figures, head)), None))
