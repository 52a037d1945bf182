"""When each duty ran last, wherever that was: one that nobody runs is missed before its work piles up."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam

from worker.database import insert, moment
from worker.queries.schema import duty_runs

_RAN = insert(duty_runs).values(duty=bindparam("of_duty"), ran_at=moment(), ran_by=bindparam("by_whom"))
RAN = _RAN.on_conflict_do_update(
    index_elements=["duty"], set_={name: _RAN.excluded[name] for name in ("ran_at", "ran_by")}
)


def ran(conn: Connection, *, duty: str, by: str, now: datetime | None = None) -> None:
    """Say that the duty was just done."""
    conn.execute(RAN, {"of_duty": duty, "by_whom": by[:100], "at_now": now})
