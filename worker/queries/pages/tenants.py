"""The Tenants page: how far each is set up, step by step, and the open work of each; who needs a person comes first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from worker.provisioning.steps import STEPS
from worker.queries.pages import cursors, provisioning, step_marks, tenant_loads, total_times
from worker.queries.pages.provisioning import Provisioning, Stage
from worker.queries.pages.step_marks import Mark
from worker.queries.pages.step_times import Usual
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenant_rows import AT_REST, PAGE, listing

_GIVEN_UP = (Stage.FAILED, Stage.CANCELLED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the list is narrowed to: a text in slug or name, a state, the step that a tenant is at."""

    containing: str = ""
    state: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One tenant: its row, its provisioning step by step, and its open work when it has any."""

    row: Any
    provisioning: Provisioning
    marks: list[Mark]
    load: Any
    total_seconds: float | None

    @property
    def stuck(self) -> str | None:
        """Why it does not get on: nobody takes it, or no step has ended for too long; None when it does."""
        return "untaken" if self.row.untaken else "idle" if self.row.idle else None

    @property
    def lasts(self) -> bool:
        """Whether the total still grows."""
        return self.total_seconds is not None and _ended_at(self.row) is None

    def times(self, usual: Usual | None) -> float | None:
        """How many times the usual total it took or has taken; None when it was given up or nothing is usual yet."""
        if self.total_seconds is None or self.provisioning.stage in _GIVEN_UP or not (usual and usual.median):
            return None
        return self.total_seconds / usual.median


@dataclass(frozen=True, slots=True)
class Page:
    """Some tenants, the cursor of the next page when there is one, and what a provisioning usually takes."""

    lines: list[Line]
    older: str | None
    usual: Usual | None


def page(
    conn: Connection, wanted: Wanted = Wanted(), *, watch: Watch, cursor: str | None = None, now: datetime
) -> Page:
    """Tenants that need a person first, then those under way, then the others; each kind by slug."""
    urgency, slug = cursors.decode(cursor, cursors.number, cursors.name) if cursor else (-1, "")
    values: dict[str, Any] = {"containing": wanted.containing, "after_urgency": urgency, "after_slug": slug}
    values |= {"after_resting": slug if urgency >= AT_REST else "", "at_now": now, **watch.values}
    values |= {"at_place": STEPS.index(wanted.step) if wanted.step else None}
    statement = listing(containing=bool(wanted.containing), state=wanted.state, at_step=bool(wanted.step))
    rows = conn.execute(statement, values).all()
    shown = rows[:PAGE]
    older = cursors.encode(shown[-1].urgency, shown[-1].slug) if len(rows) > PAGE else None
    return Page(_lines(conn, shown, now), older, total_times.usual(conn))


def _lines(conn: Connection, rows: Any, now: datetime) -> list[Line]:
    found = {row.id: provisioning.of(row) for row in rows}
    marks = step_marks.of(conn, list(found.values()))
    loads = tenant_loads.of(conn, tenant_ids=list(found), now=now)
    return [Line(row, found[row.id], marks[row.id], loads.get(row.id), _total(row, now)) for row in rows]


def _ended_at(row: Any) -> datetime | None:
    ended: datetime | None = row.activated_at or row.finished_at
    return ended


def _total(row: Any, now: datetime) -> float | None:
    """From the asking to the end, or to now; None when nobody has asked."""
    if row.asked_at is None:
        return None
    took: float = ((_ended_at(row) or now) - row.asked_at).total_seconds()
    return max(took, 0)
