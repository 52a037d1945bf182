"""What became of the jobs that an act moved: passed, the same error, a new one; and whether it has to stop."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, Text, bindparam, func, select, update

from worker.database import Id, Row, records
from worker.model import Status
from worker.queries.bulk_acts.acts import AT_ONCE
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import platform_jobs as job

PASSED, SAME_ERROR, NEW_ERROR, CANCELLED, GONE = "passed", "same_error", "new_error", "cancelled", "gone"
_COUNTED = (PASSED, SAME_ERROR, NEW_ERROR)
_SOON, _SELDOM = timedelta(seconds=2), timedelta(seconds=60)
_SETTLED, _FORGOTTEN = timedelta(hours=6), timedelta(days=7)

_of_act = member.c.act_id == bindparam("of_act", type_=Id)
LOOK = (
    select(
        member.c.place,
        member.c.state,
        member.c.outcome,
        member.c.fingerprint,
        member.c.was_replays,
        member.c.was_error_fingerprint,
        job.c.status,
        job.c.replays,
        job.c.error_fingerprint,
    )
    .outerjoin_from(member, job, job.c.id == member.c.job_id)
    .where(
        _of_act, member.c.place > bindparam("after_place"), member.c.place <= bindparam("until_place"),
    )
    .order_by(member.c.place)
    .limit(bindparam("at_most"))
)  # fmt: skip
_found = records("found", place=Integer(), outcome=Text(), fingerprint=Text())
SET = (
    update(member)
    .where(_of_act, member.c.place == _found.c.place)
    .values(outcome=_found.c.outcome, fingerprint=_found.c.fingerprint)
)
MOST_FREQUENT = (
    select(member.c.fingerprint, func.count().label("jobs"))
    .where(_of_act, member.c.fingerprint.is_not(None))
    .group_by(member.c.fingerprint)
    .order_by(func.count().desc())
    .limit(1)
)
LOST = select(member.c.place).where(_of_act, member.c.outcome.in_((CANCELLED, GONE))).limit(1)


def look(conn: Connection, act: Row) -> dict[str, Any]:
    """Note what became of the next of its jobs, the first ones again after the last; what changed of the act."""
    places = {"after_place": act.watched_place, "until_place": act.moved_place, "at_most": AT_ONCE}
    rows = conn.execute(LOOK, {"of_act": act.id, **places}).all()
    news = [(row, outcome) for row in rows if row.state == "done" and (outcome := _outcome(row)) != _known(row)]
    if news:
        found = [{"place": row.place, "outcome": told[0], "fingerprint": told[1]} for row, told in news]
        conn.execute(SET, {"of_act": act.id, "found": json.dumps(found)})
    delta = Counter(outcome for _, (outcome, _) in news)
    delta.subtract(row.outcome for row, _ in news)
    whole = len(rows) < AT_ONCE
    counts = {name: getattr(act, name) + delta[name] for name in _COUNTED}
    return {**counts, "watched_place": 0 if whole else rows[-1].place}


def failing(conn: Connection, act: Row) -> Row | None:
    """The error that too many of its jobs failed with, where the act is to stop for it."""
    if act.stop_after is None:
        return None
    most = conn.execute(MOST_FREQUENT, {"of_act": act.id}).first()
    return most if most is not None and most.jobs >= act.stop_after else None


def is_lost(conn: Connection, act: Row) -> bool:
    """Whether one of its jobs was cancelled, or is gone."""
    return conn.execute(LOST, {"of_act": act.id}).first() is not None


def again_at(act: Row, changes: dict[str, Any]) -> datetime | None:
    """When to look at an act again that moves nothing more: ever more seldom, until nothing more is to come of it."""
    age: timedelta = act.now - act.ended_at
    known = sum(changes[name] for name in _COUNTED) >= act.done
    if age > _FORGOTTEN or (known and age > _SETTLED) or not act.done:
        return None
    at: datetime = act.now + min(max(age / 10, _SOON), _SELDOM)
    return at


def _known(row: Row) -> tuple[str | None, str | None]:
    return row.outcome, row.fingerprint


def _outcome(row: Row) -> tuple[str | None, str | None]:
    """What became of one; an attempt that failed counts at once, though the job is tried again."""
    if row.status is None:
        return row.outcome or GONE, row.fingerprint
    if row.replays != row.was_replays + 1:  # somebody replayed it again: what it comes to now is of that act
        return _known(row)
    if row.status == Status.SUCCEEDED:
        return PASSED, None
    if row.error_fingerprint is not None:
        same = row.error_fingerprint == row.was_error_fingerprint
        return SAME_ERROR if same else NEW_ERROR, row.error_fingerprint
    return (CANCELLED if row.status == Status.CANCELLED else None), None
