"""The pulse of a worker: one mark for every beat that was expected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from sqlalchemy import Connection, select

from worker.database import among
from worker.queries.pages.fleet import Worker
from worker.queries.schema import worker_instances as instance

LATE = 1.3
"""A beat that came after so many intervals is drawn as late."""

BEATS = select(instance.c.instance_id, instance.c.recent_beats).where(among(instance.c.instance_id, "of_instances"))


def read(conn: Connection, workers: Sequence[Worker], *, now: datetime) -> dict[str, str]:
    """The pulse of each of these, drawn to now."""
    intervals = {each.instance_id: each.interval for each in workers}
    rows = conn.execute(BEATS, {"of_instances": list(intervals)})
    return {row.instance_id: pulse(row.recent_beats, intervals[row.instance_id], until=now) for row in rows}


def pulse(beats: Sequence[float], interval_seconds: int, *, until: datetime, length: int = 28) -> str:
    """One mark per expected beat, oldest first, as `ui.beats` draws them: | came, : came late, . missed."""
    marks = "|" if beats else ""
    for earlier, later in pairwise(beats):
        marks += "." * _missed(later - earlier, interval_seconds)
        marks += ":" if later - earlier > LATE * interval_seconds else "|"
    if beats:
        marks += "." * _missed(until.timestamp() - beats[-1], interval_seconds)
    return marks[-length:].rjust(length)


def _missed(gap: float, interval_seconds: int) -> int:
    return max(0, min(round(gap / interval_seconds) - 1, 100))
