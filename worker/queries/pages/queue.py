"""The page of one queue, and that of one job type: what is there, why it waits, and who did what to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from worker.queries.pages import backlog, fleet, loads, waits
from worker.queries.pages.backlog import Backlog
from worker.queries.pages.figures import Figures
from worker.queries.pages.loads import Load
from worker.queries.pages.waits import Cause, Wait


@dataclass(frozen=True, slots=True)
class Standing:
    """How a queue or a job type stands: in all, in its parts, and why what waits there waits.

    The parts of a queue are its handlers, those of a handler its queues. `last_able` names for each job type that
    nobody live runs the worker that ran it last.
    """

    load: Load | None
    parts: list[Load]
    waits: list[Wait]
    last_able: dict[str, Any]


def of_queue(conn: Connection, figures: Figures, queue: str) -> Standing:
    """One queue by handler."""
    rows = backlog.of_queue(conn, figures.backlog, queue=queue, deep=figures.is_deeper(queue))
    load = next((each for each in loads.by_queue(figures) if each.name == queue), None)
    return Standing(load, loads.of_queue(figures, queue, rows), *_reasons(conn, figures, rows))


def of_handler(conn: Connection, figures: Figures, handler: str) -> Standing:
    """One subscriber or job type by queue, counted in full."""
    rows = [each for each in backlog.in_full(conn, figures) if each.handler_key == handler]
    load = next((each for each in loads.by_handler(figures, rows) if each.name == handler), None)
    return Standing(load, loads.of_handler(figures, handler, rows), *_reasons(conn, figures, rows))


def _reasons(conn: Connection, figures: Figures, rows: Sequence[Backlog]) -> tuple[list[Wait], dict[str, Any]]:
    found = waits.read(figures, rows)
    unable = sorted({wait.of.job_type for wait in found if wait.cause is Cause.UNSERVED})
    return found, fleet.last_able(conn, job_types=unable) if unable else {}
