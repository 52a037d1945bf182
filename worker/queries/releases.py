"""Which release began when: a worker tells of its own as it starts, and whoever deploys may tell of any."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Text, bindparam, func, literal, select

from worker.database import Timestamp, insert, least, moment, optional, seconds, serialise
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.schema import releases, worker_instances

WORKER = "worker"
"""Who told of a release that a worker brought along."""
_ROLLED_OUT_WITHIN_SECONDS = 3600

_ADD = insert(releases).values(
    name=bindparam("to_name", type_=Text),
    component=bindparam("of_component", type_=Text),
    at=least(func.coalesce(optional("began_at", Timestamp), moment()), moment()),
    told_by=bindparam("by_whom", type_=Text),
)
ADD = _ADD.returning(releases.c.id, releases.c.at)
_same = func.coalesce(releases.c.component, "") == func.coalesce(bindparam("of_component", type_=Text), "")
NEWEST = select(releases.c.id, releases.c.name, releases.c.at).where(_same)
NEWEST = NEWEST.order_by(releases.c.at.desc(), releases.c.id.desc()).limit(1)
# While a release is rolled out, starts of the one before it are no way back to it
RUNNING = (
    select(worker_instances.c.instance_id)
    .where(
        worker_instances.c.component == bindparam("of_component", type_=Text),
        worker_instances.c.version == bindparam("to_name", type_=Text),
        worker_instances.c.stopped_at.is_(None),
        worker_instances.c.last_heartbeat_at > moment() - seconds(literal(_ROLLED_OUT_WITHIN_SECONDS)),
    )
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of telling: the release as it is kept, and whether it was news."""

    name: str
    component: str | None
    at: datetime
    created: bool


def began(conn: Connection, *, name: str, component: str, now: datetime | None = None) -> bool:
    """A worker starts with that release: note it, unless it is the newest of its component or runs there already.

    To be called before the worker's first beat.
    """
    values = {"to_name": name, "of_component": component}
    serialise(conn, "releases")
    newest = conn.execute(NEWEST, values).first()
    if (newest and newest.name == name) or conn.execute(RUNNING, {**values, "at_now": now}).first():
        return False
    conn.execute(ADD, {**values, "by_whom": WORKER, "at_now": now})
    return True


def record(
    conn: Connection,
    *,
    name: str,
    actor: Actor,
    component: str | None = None,
    at: datetime | None = None,
    now: datetime | None = None,
) -> Recorded:
    """Note that a release began, of one component or of everything; the newest one told again is no news.

    None begins in the future, whatever the clock of who tells it says.
    """
    kept, of_component = _name("name", name), None if component is None else _name("component", component)
    values = {"to_name": kept, "of_component": of_component}
    serialise(conn, "releases")
    newest = conn.execute(NEWEST, values).first()
    if newest and newest.name == kept:
        return Recorded(kept, of_component, newest.at, created=False)
    row = conn.execute(ADD, {**values, "began_at": at, "by_whom": actor.name, "at_now": now}).one()
    detail = {"component": of_component} if of_component else {}
    audit.record(conn, actor=actor, action="release", target=kept, detail=detail, now=now)
    return Recorded(kept, of_component, row.at, created=True)


def _name(field: str, text: str) -> str:
    if cleaned := clean_text(text, field=field, limit=100):
        return cleaned
    raise InvalidInput(field, "must not be empty")
