"""Hints that work has come: a producer notifies only while somebody waits; polling stays the guarantee."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Text, bindparam, delete, select

from worker.database import HINTED, hint, insert, moment
from worker.queries.schema import sleepers

JOBS = "watchfloor_jobs"
OUTBOX = "watchfloor_outbox"

# Where hints are not passed on, nobody needs to say that he waits for one
_SLEEP = insert(sleepers).from_select(
    ["channel", "sleeper", "since"],
    select(bindparam("on_channel", type_=Text), bindparam("who", type_=Text), moment()).where(HINTED),
)
SLEEP = _SLEEP.on_conflict_do_update(index_elements=["channel", "sleeper"], set_={"since": _SLEEP.excluded.since})
AWAKE = delete(sleepers).where(
    HINTED, sleepers.c.channel == bindparam("on_channel"), sleepers.c.sleeper == bindparam("who")
)
WAKE = select(hint(bindparam("on_channel", type_=Text)))


def sleep(conn: Connection, *, channel: str, sleeper: str, now: datetime | None = None) -> None:
    """Ask to be notified on the channel; look for work once more after this and before waiting."""
    conn.execute(SLEEP, {"on_channel": channel, "who": sleeper, "at_now": now})


def awake(conn: Connection, *, channel: str, sleeper: str) -> None:
    """Ask for no more notifications: there is work enough."""
    conn.execute(AWAKE, {"on_channel": channel, "who": sleeper})


def wake(conn: Connection, *, channel: str) -> None:
    """Notify whoever waits on the channel when the caller's transaction commits."""
    conn.execute(WAKE, {"on_channel": channel})
