"""The releases that fall into a stretch of time, for the markers of charts and for what began after one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, or_, select

from worker.database import Timestamp
from worker.queries.releases import WORKER
from worker.queries.schema import releases

MOST = 100
"""Releases read of one stretch, the newest: more are no markers but a hatching."""

_older = releases.alias("older")
_is_news = or_(
    releases.c.told_by != WORKER,
    # The first that a component was ever seen with may have run for years
    select(_older.c.id).where(_older.c.component == releases.c.component, _older.c.at < releases.c.at).exists(),
)
BETWEEN = (
    select(releases.c.name, releases.c.component, releases.c.at, releases.c.told_by)
    .where(
        releases.c.at >= bindparam("since", type_=Timestamp),
        releases.c.at <= bindparam("until", type_=Timestamp),
        _is_news,
    )
    .order_by(releases.c.at.desc(), releases.c.id.desc())
    .limit(MOST)
)


@dataclass(frozen=True, slots=True)
class Release:
    """One release: its name, of which component (None for everything), since when, and who told of it."""

    name: str
    component: str | None
    at: datetime
    told_by: str


def between(conn: Connection, *, since: datetime, until: datetime) -> list[Release]:
    """Those that began within the time, the oldest first."""
    rows = conn.execute(BETWEEN, {"since": since, "until": until}).all()
    return [Release(*row) for row in reversed(rows)]


def before(known: list[Release], at: datetime, *, within: timedelta) -> Release | None:
    """The last of them that began shortly before that time: what may explain what began then."""
    return next((each for each in reversed(known) if timedelta() <= at - each.at <= within), None)
