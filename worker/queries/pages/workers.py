"""The Workers page: each process with its pulse and what it runs now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, Text, bindparam, not_, or_, select, tuple_

from worker.database import Timestamp, moment, seconds
from worker.queries.pages import cursors, fleet
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.pulses import pulse
from worker.queries.schema import worker_instances as instance

PAGE, FOLDED = 50, 10

_long_ago = moment() - seconds(bindparam("gone_after"))
_gone = or_(instance.c.stopped_at.is_not(None), instance.c.last_heartbeat_at < _long_ago)
_newest = (instance.c.started_at.desc(), instance.c.instance_id.desc())
_before = tuple_(instance.c.started_at, instance.c.instance_id) < tuple_(
    bindparam("before_start", type_=Timestamp), bindparam("before_id", type_=Text)
)
_rows = select(instance).order_by(*_newest).limit(bindparam("at_most"))
PRESENT, PRESENT_BEFORE = _rows.where(not_(_gone)), _rows.where(not_(_gone), _before)
EVERY, EVERY_BEFORE = _rows, _rows.where(_before)
GONE, GONE_BEFORE = _rows.where(_gone), _rows.where(_gone, _before)


@dataclass(frozen=True, slots=True)
class Line:
    """One process: its row, what it is and its pulse; how many jobs it holds, and those looked at, the oldest first."""

    row: Any
    state: State
    pulse: str
    busy: int = 0
    held: list[Any] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What its people call it."""
        return str(self.row.label or self.row.component)


@dataclass(frozen=True, slots=True)
class Page:
    """Some processes, and the cursor of the next page when there is one."""

    lines: list[Line]
    older: str | None


def present(conn: Connection, figures: Figures, *, cursor: str | None = None) -> Page:
    """Processes that beat within the hour, newest first; the silent ones lead the page they are on."""
    rows, older = _read(conn, PRESENT_BEFORE if cursor else PRESENT, cursor, limit=PAGE, now=figures.at)
    busy = {each.instance_id: each.busy for each in figures.workers}
    held: dict[str, list[Any]] = {}
    for row in sorted(figures.held, key=lambda each: each.since):
        held.setdefault(row.locked_by, []).append(row)
    ids = ((row, row.instance_id) for row in rows)
    lines = [_line(row, figures.at, busy.get(id_, 0), held.get(id_, ())) for row, id_ in ids]
    return Page(sorted(lines, key=lambda line: (line.state is not State.SILENT, line.name, line.row.host or "")), older)


@dataclass(frozen=True, slots=True)
class Hung:
    """Work that runs longer than any may, on a worker that beats: nobody takes it back."""

    of: Any
    holder: Worker
    ran: timedelta


def hung(figures: Figures, *, max_runtime: timedelta) -> list[Hung]:
    """The longest running first."""
    live = {each.instance_id: each for each in figures.live}
    late = (row for row in figures.held if row.locked_by in live and figures.at - row.since > max_runtime)
    return [Hung(row, live[row.locked_by], figures.at - row.since) for row in sorted(late, key=lambda row: row.since)]


def gone(conn: Connection, *, cursor: str | None = None, limit: int = PAGE, now: datetime) -> Page:
    """Processes that stopped, or fell silent more than an hour ago, the newest first."""
    rows, older = _read(conn, GONE_BEFORE if cursor else GONE, cursor, limit=limit, now=now)
    return Page([_line(row, now) for row in rows], older)


def every(conn: Connection, *, cursor: str | None, limit: int, now: datetime) -> tuple[Sequence[Any], str | None]:
    """The rows of all processes, whatever became of them, the newest first, and the cursor of the next page."""
    return _read(conn, EVERY_BEFORE if cursor else EVERY, cursor, limit=limit, now=now)


def _read(
    conn: Connection, statement: Select[Any], cursor: str | None, *, limit: int, now: datetime
) -> tuple[Sequence[Any], str | None]:
    values: dict[str, Any] = {"at_most": limit + 1, "gone_after": fleet.GONE_AFTER.total_seconds(), "at_now": now}
    if cursor:
        values["before_start"], values["before_id"] = cursors.decode(cursor, cursors.instant, cursors.name)
    rows = conn.execute(statement, values).all()
    shown = rows[:limit]
    return shown, cursors.encode(shown[-1].started_at, shown[-1].instance_id) if len(rows) > limit else None


def _line(row: Any, now: datetime, busy: int = 0, held: Iterable[Any] = ()) -> Line:
    state = fleet.state_of(row, now)
    marks = pulse(row.recent_beats, row.heartbeat_interval_seconds, until=row.stopped_at or now)
    return Line(row, state, marks, busy, list(held))
