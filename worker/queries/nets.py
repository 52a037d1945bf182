"""Backfills of the reconciliation nets: who runs one, when it ran last, and what it came to."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Float, Text, and_, bindparam, or_, update

from worker.database import insert, moment, optional, seconds
from worker.queries.schema import net_runs

_run = insert(net_runs).values(
    subscriber_id=bindparam("of_subscriber"),
    runner=bindparam("by_runner"),
    started_at=moment(),
    leased_until=moment() + seconds(bindparam("for_seconds", type_=Float)),
)
TAKE = _run.on_conflict_do_update(
    index_elements=["subscriber_id"],
    set_={name: _run.excluded[name] for name in ("runner", "started_at", "leased_until")},
    where=and_(
        net_runs.c.started_at + seconds(bindparam("every_seconds", type_=Float)) <= moment(),
        or_(net_runs.c.leased_until.is_(None), net_runs.c.leased_until <= moment()),
    ),
).returning(net_runs.c.subscriber_id)
FINISH = (
    update(net_runs)
    .where(net_runs.c.subscriber_id == bindparam("of_subscriber"), net_runs.c.runner == bindparam("by_runner"))
    .values(finished_at=moment(), leased_until=None, error=optional("with_error", Text()))
)


def take(
    conn: Connection,
    *,
    subscriber_id: str,
    runner: str,
    every_seconds: float,
    lease_seconds: float,
    now: datetime | None = None,
) -> bool:
    """Whether this runner is to run the subscriber's backfill now: it is due, and nobody else is at it."""
    values = {"of_subscriber": subscriber_id, "by_runner": runner, "every_seconds": every_seconds}
    taken = conn.execute(TAKE, {**values, "for_seconds": lease_seconds, "at_now": now}).scalar()
    return taken is not None


def finish(
    conn: Connection, *, subscriber_id: str, runner: str, error: str | None = None, now: datetime | None = None
) -> None:
    """Say what the run came to; one that lost its place to another runner says nothing."""
    conn.execute(FINISH, {"of_subscriber": subscriber_id, "by_runner": runner, "with_error": error, "at_now": now})
