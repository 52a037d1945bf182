"""Handlers that succeed, but often not before they have failed twice: tomorrow's dead letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, Table, bindparam, select

from worker.database import Id, Row, Timestamp
from worker.model import AttemptOutcome
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.flow import total
from worker.queries.schema import statistics_minutes
from worker.queries.schema import tenant_statistics_minutes as theirs

AT_LEAST = 5
"""So many late ones make a habit."""
WITHIN = timedelta(hours=1)


def _late_of(minutes: Table) -> Select[Any]:
    return (
        select(minutes.c.handler_key, total(minutes.c.late).label("late"), total(minutes.c.jobs).label("jobs"))
        .where(
            minutes.c.minute.between(bindparam("since", type_=Timestamp), bindparam("until", type_=Timestamp)),
            minutes.c.outcome == AttemptOutcome.COMPLETED,
        )
        .group_by(minutes.c.handler_key)
        .having(total(minutes.c.late) >= AT_LEAST)
    )


LATE = _late_of(statistics_minutes)
LATE_OF_TENANT = _late_of(theirs).where(theirs.c.tenant_id == bindparam("of_tenant", type_=Id))


def _late(seen: Seen) -> Sequence[Row]:
    until = seen.figures.at
    within = {"since": until - WITHIN, "until": until}
    if seen.tenant_id:
        rows = seen.conn.execute(LATE_OF_TENANT, {**within, "of_tenant": seen.tenant_id}).all()
    else:
        rows = seen.conn.execute(LATE, within).all()
    return sorted(rows, key=lambda row: (-row.late / row.jobs, row.handler_key))


def _find(seen: Seen) -> Iterator[Item]:
    for row in _late(seen):
        if row.late / row.jobs >= seen.limits.finding_late_share:
            yield Item("late", "warn", row)


def _worst(seen: Seen) -> float:
    """The greatest share that came late."""
    return max((row.late / row.jobs for row in _late(seen)), default=0)


KIND = Kind("late", "Success only on a late attempt", Unit.SHARE, "finding_late_share", _find, _worst)
