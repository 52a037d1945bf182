"""The Overview below its sentences: the course of the last hour, day or week, and the workers' pulse."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from worker.queries.pages import courses, pulses
from worker.queries.pages.courses import Slot, Span
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.flow import Minute

WORKERS_SHOWN = 8


def course(conn: Connection, figures: Figures, span: Span) -> Sequence[Slot | Minute]:
    """What ended in each bar of a chart over everything; the last hour comes with the figures."""
    if span.key == "1h":
        return figures.hour.minutes
    return courses.read(conn, span, tenant_id=figures.tenant_id, now=figures.at)


def watched(conn: Connection, figures: Figures) -> list[tuple[Worker, str]]:
    """The workers that are silent, then the others by name, a few at most, each with its pulse."""
    silent = {each.instance_id for each in figures.silent}
    shown = [each for each in figures.workers if each.state is not State.SILENT or each.instance_id in silent]
    shown = sorted(shown, key=lambda each: each.state is not State.SILENT)[:WORKERS_SHOWN]
    marks = pulses.read(conn, shown, now=figures.at) if shown else {}
    return [(each, marks.get(each.instance_id, "")) for each in shown]
