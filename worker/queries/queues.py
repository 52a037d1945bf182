"""Pause and resume a queue; a row in `queue_controls` is a pause."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from worker.database import Row, Timestamp, insert, moment, optional
from worker.queries import wakeups
from worker.queries.audit import Actor, record
from worker.queries.schema import queue_controls
from worker.settings import queue_name

_in_force = or_(queue_controls.c.paused_until.is_(None), queue_controls.c.paused_until > moment())
PAUSED = select(queue_controls).where(_in_force)
PAUSED_NAMES = select(queue_controls.c.queue).where(_in_force)
_PAUSE = insert(queue_controls).values(
    queue=bindparam("of_queue"),
    paused_at=moment(),
    paused_by=bindparam("by_actor"),
    paused_until=optional("until_time", Timestamp),
    reason=bindparam("for_reason"),
)
PAUSE = _PAUSE.on_conflict_do_update(
    index_elements=["queue"],
    set_={name: _PAUSE.excluded[name] for name in ("paused_at", "paused_by", "paused_until", "reason")},
    where=queue_controls.c.paused_until <= moment(),  # a pause in force keeps its author; one that lapsed is replaced
).returning(queue_controls.c.queue)
CHANGE_END = (
    update(queue_controls)
    .where(queue_controls.c.queue == bindparam("of_queue"), _in_force)
    .values(paused_until=optional("until_time", Timestamp))
    .returning(queue_controls.c.queue)
)
RESUME = delete(queue_controls).where(queue_controls.c.queue == bindparam("of_queue")).returning(queue_controls.c.queue)


def pause(
    conn: Connection,
    *,
    queue: str,
    actor: Actor,
    reason: str,
    until: datetime | None = None,
    now: datetime | None = None,
) -> bool:
    """Let no worker claim from the queue, until a time or for good; False when it is paused already."""
    values = {"of_queue": queue_name(queue), "by_actor": actor.name, "until_time": until, "for_reason": reason}
    if conn.execute(PAUSE, {**values, "at_now": now}).first() is None:
        return False
    detail = {"until": until.isoformat()} if until else {}
    record(conn, actor=actor, action="pause", target=queue, reason=reason, detail=detail, now=now)
    return True


def change_end(
    conn: Connection,
    *,
    queue: str,
    actor: Actor,
    reason: str | None = None,
    until: datetime | None = None,
    now: datetime | None = None,
) -> bool:
    """Let a pause in force end at another time, or only when somebody resumes; False when it is not paused.

    Who paused it, and why, stays as it is.
    """
    values = {"of_queue": queue_name(queue), "until_time": until, "at_now": now}
    if conn.execute(CHANGE_END, values).first() is None:
        return False
    detail = {"until": until.isoformat()} if until else {}
    record(conn, actor=actor, action="pause-end", target=queue, reason=reason, detail=detail, now=now)
    return True


def resume(
    conn: Connection, *, queue: str, actor: Actor, reason: str | None = None, now: datetime | None = None
) -> bool:
    """Let workers claim from the queue again; False when it was not paused."""
    if conn.execute(RESUME, {"of_queue": queue_name(queue)}).first() is None:
        return False
    record(conn, actor=actor, action="resume", target=queue, reason=reason, now=now)
    wakeups.wake(conn, channel=wakeups.JOBS)
    return True


def paused(conn: Connection, *, now: datetime | None = None) -> dict[str, Row]:
    """The pauses in force, by queue."""
    return {row.queue: row for row in conn.execute(PAUSED, {"at_now": now})}
