"""What state a group of dead letters is in: as somebody put it, unless it came back by itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    case,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    type_coerce,
    update,
)

from worker.database import among, greatest, moment, seconds
from worker.model import Status
from worker.queries import audit
from worker.queries.schema import dead_letter_groups, has_status, job_attempts, releases, worker_instances
from worker.queries.schema import platform_jobs as job
from worker.queries.titles import title

MAX_RATE = 1_000
"""Deaths an hour that a snooze can bear: they are counted, and no further."""
LOOKED_AT = 100
"""The newest deaths that are looked at for the release they happened in."""
PATIENCE = timedelta(days=7)
"""How long a group that was resolved in a release waits for it: what dies later, while it has not come, counts."""


class GroupState(StrEnum):
    """What people made of a group, or what became of that."""

    NEW = "new"
    TAKEN = "taken"
    SNOOZED = "snoozed"
    RESOLVED = "resolved"
    RETURNED = "returned"


OPEN = (GroupState.NEW, GroupState.TAKEN, GroupState.RETURNED)
"""States in which a group asks for a person, or has one."""
_HOUR = seconds(literal_column("3600"))
_PATIENCE = seconds(literal_column(f"{PATIENCE // timedelta(seconds=1)}"))
_SYSTEM = literal(audit.SYSTEM.name)
note = dead_letter_groups


def _is(state: GroupState) -> ColumnElement[bool]:
    """Written out, as a list of parameters could not be planned ahead."""
    return note.c.state == literal_column(f"'{state}'", Text)


_IS_QUIET = or_(_is(GroupState.SNOOZED), _is(GroupState.RESOLVED))


def _deaths(since: ColumnElement[Any], *columns: ColumnElement[Any], most: int) -> Select[Any]:
    """The dead letters of a group that died after a time, the newest first."""
    found = select(*columns).where(
        has_status(Status.FAILED), job.c.error_fingerprint == note.c.fingerprint, job.c.finished_at > since
    )
    return found.order_by(job.c.finished_at.desc(), job.c.id.desc()).limit(most).correlate(note)


def _is_too_many() -> ColumnElement[bool]:
    """Whether more died within the last hour, and since the snooze began, than it bears."""
    recent = _deaths(greatest(note.c.state_at, moment() - _HOUR), job.c.id, most=MAX_RATE + 1).subquery("recent")
    number = select(func.count()).select_from(recent).scalar_subquery()
    return number > note.c.snooze_rate


def _has_died_again() -> ColumnElement[bool]:
    return _deaths(note.c.state_at, job.c.id, most=1).exists()


def _began() -> Select[Any]:
    """When the release that it was resolved in was first there."""
    return select(func.min(releases.c.at)).where(releases.c.name == note.c.resolved_in).correlate(note)


def _has_died_in_want_of_it() -> ColumnElement[bool]:
    """Whether the release has not come for so long, and one died after that."""
    return and_(_began().scalar_subquery().is_(None), _deaths(note.c.state_at + _PATIENCE, job.c.id, most=1).exists())


def _has_died_where_it_was_fixed() -> ColumnElement[bool]:
    """Whether one of the newest deaths was at a worker of that release, or at one started since there was it."""
    newest = _deaths(note.c.state_at, job.c.id, job.c.generation, job.c.finished_at, most=LOOKED_AT).subquery("newest")
    its_worker = job_attempts.outerjoin(worker_instances, worker_instances.c.instance_id == job_attempts.c.worker_id)
    rows = newest.outerjoin(
        its_worker, and_(job_attempts.c.job_id == newest.c.id, job_attempts.c.generation == newest.c.generation)
    )
    is_later = func.coalesce(worker_instances.c.started_at, newest.c.finished_at) >= _began().scalar_subquery()
    fixed = or_(worker_instances.c.version == note.c.resolved_in, is_later)
    return select(literal_column("1")).select_from(rows).where(fixed).correlate(note).exists()


CAME_BACK: ColumnElement[bool] = case(
    (_is(GroupState.RESOLVED), case(
        (note.c.resolved_in.is_(None), _has_died_again()),
        else_=or_(_has_died_where_it_was_fixed(), _has_died_in_want_of_it()),
    )),
    (or_(~_is(GroupState.SNOOZED), note.c.snoozed_until.is_not(None)), false()),
    (note.c.snooze_rate.is_not(None), _is_too_many()),
    else_=_has_died_again(),
)  # fmt: skip
_has_slept: ColumnElement[bool] = and_(_is(GroupState.SNOOZED), note.c.snoozed_until <= moment())
_AWAKE = case((note.c.assignee.is_(None), literal(GroupState.NEW.value)), else_=literal(GroupState.TAKEN.value))
STATE: ColumnElement[str] = type_coerce(
    case(
        (note.c.fingerprint.is_(None), literal(GroupState.NEW.value)),
        (_has_slept, _AWAKE),
        (and_(_IS_QUIET, CAME_BACK), literal(GroupState.RETURNED.value)),
        else_=note.c.state,
    ),
    Text,
)
"""The state of a group, of whose row there may be none."""

# Held from here on, so that nobody who puts it to sleep anew meanwhile is overruled
RETURNED = select(note.c.fingerprint).where(_IS_QUIET, CAME_BACK).limit(100).with_for_update(skip_locked=True, of=note)
RETURN = (
    update(note)
    .where(among(note.c.fingerprint, "of_groups"), _IS_QUIET)
    .values(
        state=GroupState.RETURNED, state_at=moment(), state_by=_SYSTEM, updated_at=moment(), updated_by=_SYSTEM
    )
    .returning(note.c.fingerprint)
)  # fmt: skip


def bring_back(conn: Connection, *, now: datetime | None = None) -> Sequence[str]:
    """Note of groups that were snoozed or resolved, and have come back by themselves, that they did; some at a time."""
    found = list(conn.execute(RETURNED, {"at_now": now}).scalars())
    moved = list(conn.execute(RETURN, {"of_groups": found, "at_now": now}).scalars()) if found else []
    for fingerprint in moved:
        detail = {"error": title(conn, fingerprint=fingerprint)}
        audit.record(conn, actor=audit.SYSTEM, action="return", target=fingerprint, detail=detail, now=now)
    return moved
