"""Tenants one per line: what each has open, how fast it comes and goes, and why it waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

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


def read(conn: Connection, figures: Figures, rows: Sequence[Any]) -> list[Line]:
    """The lines of the rows of `tenant_loads`, in their order."""
    ids = [row.tenant_id for row in rows]
    heads = tenant_backlog.heads(conn, tenant_ids=ids, now=figures.at)
    flows = tenant_flows.read(conn, tenant_ids=ids, now=figures.at)
    return [_line(figures, row, heads.get(row.tenant_id, []), flows.get(row.tenant_id, [])) for row in rows]


def _line(figures: Figures, row: Any, head: list[Any], flows: list[Any]) -> Line:
    load = loads.load(figures, row.slug, head, flows, ready=row.ready)
    return Line(row, load, next(iter(waits.read(figures, head)), None))
