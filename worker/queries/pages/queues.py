"""The Queues page: the same figures by queue, by job type or by tenant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from worker.queries.pages import backlog, cursors, loads, tenant_lines, tenant_loads
from worker.queries.pages.figures import Figures
from worker.queries.pages.loads import Load

PAGE = 50


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of the list, and the cursor of the next page when there is one."""

    lines: list[Any]
    older: str | None = None


def by_queue(figures: Figures, *, containing: str = "", cursor: str | None = None) -> Page:
    """Queues whose name contains the text, the fullest first; read from the sample alone."""
    return _page(loads.by_queue(figures), containing, cursor)


def by_type(conn: Connection, figures: Figures, *, containing: str = "", cursor: str | None = None) -> Page:
    """Subscribers and job types, counted in full."""
    return _page(loads.by_handler(figures, backlog.in_full(conn, figures)), containing, cursor)


def by_tenant(conn: Connection, figures: Figures, *, cursor: str | None = None) -> Page:
    """Tenants with open work, those with the most ready jobs first; or the one whose figures they are."""
    if figures.tenant_id:
        return Page(tenant_lines.own(conn, figures, tenant_id=figures.tenant_id))
    after = cursors.decode(cursor, cursors.number, UUID) if cursor else None
    rows = tenant_loads.fullest(conn, after=after, now=figures.at)
    shown, rest = rows[: tenant_loads.PAGE], rows[tenant_loads.PAGE :]
    older = cursors.encode(shown[-1].ready, shown[-1].tenant_id) if rest else None
    return Page(tenant_lines.read(conn, figures, shown), older)


def _page(found: Iterable[Load], containing: str, cursor: str | None) -> Page:
    kinds = (cursors.number, cursors.number, cursors.number, cursors.name)
    after = cursors.decode(cursor, *kinds) if cursor else None
    rest = [load for load in found if containing in load.name and (after is None or load.rank > after)]
    return Page(rest[:PAGE], cursors.encode(*rest[PAGE - 1].rank) if len(rest) > PAGE else None)
