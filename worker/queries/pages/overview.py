"""The Overview below its sentences: the course of the last hour, day or week, and the workers' pulse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Integer, bindparam, select

from worker.database import Timestamp, bin_of
from worker.queries.pages import pulses
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.flow import COMPLETED, FAILURES, Minute, jobs
from worker.queries.schema import statistics_minutes as minutes

WORKERS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Span:
    """How far back a chart looks, and the width of its bars."""

    key: str
    label: str
    title: str
    slots: int
    width: timedelta


SPANS = {
    span.key: span
    for span in (
        Span("1h", "1 h", "Last hour", 60, timedelta(minutes=1)),
        Span("24h", "24 h", "Last day", 72, timedelta(minutes=20)),
        Span("7d", "7 d", "Last week", 84, timedelta(hours=2)),
    )
}

_slot = bin_of(minutes.c.minute, bindparam("slot_seconds", type_=Integer)).label("slot")
COURSE = (
    select(_slot, jobs(COMPLETED).label("completed"), jobs(FAILURES).label("failed"))
    .where(minutes.c.minute >= bindparam("first_slot", type_=Timestamp))
    .group_by(_slot)
)


@dataclass(frozen=True, slots=True)
class Slot:
    """What ended in one bar of the chart."""

    at: datetime
    completed: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Course:
    """A chart: its bars, and the newest release that falls among them."""

    span: Span
    slots: Sequence[Slot | Minute]
    release: tuple[int, str] | None

    @property
    def completed(self) -> int:
        """Attempts that completed, in all."""
        return sum(slot.completed for slot in self.slots)

    @property
    def failed(self) -> int:
        """Attempts that failed, in all."""
        return sum(slot.failed for slot in self.slots)


def course(conn: Connection, figures: Figures, span: Span) -> Course:
    """The chart of a span; the last hour comes with the figures."""
    slots = figures.hour.minutes if span.key == "1h" else _slots(conn, figures.at, span)
    return Course(span, slots, _release(figures, slots[0].at, span))


def _slots(conn: Connection, now: datetime, span: Span) -> list[Slot]:
    current = datetime.fromtimestamp(
        now.timestamp() // span.width.total_seconds() * span.width.total_seconds(), now.tzinfo
    )
    first = current - span.width * (span.slots - 1)
    values = {"slot_seconds": int(span.width.total_seconds()), "first_slot": first}
    rows = {row.slot: row for row in conn.execute(COURSE, values)}
    starts = (first + span.width * place for place in range(span.slots))
    return [Slot(at, rows[at].completed, rows[at].failed) if at in rows else Slot(at) for at in starts]


def _release(figures: Figures, first: datetime, span: Span) -> tuple[int, str] | None:
    """The oldest version known is no release: it may have run for years."""
    for release in figures.releases[:-1]:
        place = (release.started_at - first) // span.width
        if 0 <= place < span.slots:
            return place, release.version
    return None


def watched(conn: Connection, figures: Figures) -> list[tuple[Worker, str]]:
    """The workers that are silent, then the others by name, a few at most, each with its pulse."""
    silent = {each.instance_id for each in figures.silent}
    shown = [each for each in figures.workers if each.state is not State.SILENT or each.instance_id in silent]
    shown = sorted(shown, key=lambda each: each.state is not State.SILENT)[:WORKERS_SHOWN]
    marks = pulses.read(conn, shown, now=figures.at) if shown else {}
    return [(each, marks.get(each.instance_id, "")) for each in shown]
