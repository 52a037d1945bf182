"""How often something was tried lately, counted once for all processes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, literal, select

from worker.database import insert, minute_of, moment, seconds
from worker.queries.schema import rate_counters

WINDOW_MINUTES = 15

_WINDOW = seconds(literal(WINDOW_MINUTES * 60))
_MINUTE = minute_of(moment())
_KEY = rate_counters.c.key == bindparam("of_key")
_earlier = rate_counters.alias("earlier")
_BEFORE = select(func.coalesce(func.sum(_earlier.c.uses), 0)).where(
    _earlier.c.key == bindparam("of_key"), _earlier.c.minute < _MINUTE, _earlier.c.minute > _MINUTE - _WINDOW
)
COUNT = (
    insert(rate_counters)
    .values(key=bindparam("of_key"), minute=_MINUTE, uses=1)
    .on_conflict_do_update(
        index_elements=[rate_counters.c.key, rate_counters.c.minute], set_={"uses": rate_counters.c.uses + 1}
    )
    .returning(rate_counters.c.uses + _BEFORE.scalar_subquery())
)
FORGET = delete(rate_counters).where(_KEY)
PRUNE = delete(rate_counters).where(rate_counters.c.minute < moment() - _WINDOW)


def count(conn: Connection, *, key: str, now: datetime | None = None) -> int:
    """Add one use of the key; how many there were in the last fifteen minutes, this one included.

    The first use of a key clears away what no longer counts, so that nobody who never gets in leaves rows for ever.
    """
    uses = int(conn.execute(COUNT, {"of_key": key, "at_now": now}).scalar_one())
    if uses == 1:
        prune(conn, now=now)
    return uses


def forget(conn: Connection, *, key: str, now: datetime | None = None) -> None:
    """Start the key over, and clear away what no longer counts."""
    conn.execute(FORGET, {"of_key": key})
    prune(conn, now=now)


def prune(conn: Connection, *, now: datetime | None = None) -> None:
    """Clear away what no longer counts."""
    conn.execute(PRUNE, {"at_now": now})
