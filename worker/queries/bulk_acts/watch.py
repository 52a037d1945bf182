"""What became of the jobs that an act moved: passed, the same error, a new one; and whether it has to stop."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, Text, and_, bindparam, func, or_, select, update

from worker.database import Id, Row, records
from worker.failures import exact_fingerprint
from worker.model import Status
from worker.queries.bulk_acts.acts import AT_ONCE, Action
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import platform_jobs as job

PASSED, SAME_ERROR, NEW_ERROR, CANCELLED, GONE = "passed", "same_error", "new_error", "cancelled", "gone"
_COUNTED = (PASSED, SAME_ERROR, NEW_ERROR, CANCELLED, GONE)
_SOON, _SELDOM = timedelta(seconds=2), timedelta(seconds=60)
_SETTLED, _FORGOTTEN = timedelta(hours=6), timedelta(days=7)

_before = group.alias("before")
_of_act = member.c.act_id == bindparam("of_act", type_=Id)
LOOK = (
    select(
        member.c.place,
        member.c.state,
        member.c.outcome,
        member.c.fingerprint,
        member.c.was_replays,
        member.c.was_attempts,
        func.coalesce(_before.c.merged_into, member.c.was_error_fingerprint).label("was_group"),
        job.c.status,
        job.c.replays,
        job.c.attempts,
        job.c.handler_key,
        job.c.error_type,
        job.c.error_summary,
        job.c.error_fingerprint,
        group.c.merged_into,
        group.c.is_split,
    )
    .outerjoin_from(member, job, job.c.id == member.c.job_id)
    .outerjoin(group, group.c.fingerprint == job.c.error_fingerprint)
    .outerjoin(_before, _before.c.fingerprint == member.c.was_error_fingerprint)
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
    .where(_of_act, member.c.place <= bindparam("until_place"), member.c.fingerprint.is_not(None))
    .group_by(member.c.fingerprint)
    .order_by(func.count().desc())
    .limit(1)
)
_own_replays = bindparam("own_replays", type_=Integer)
_is_taken_over = and_(
    member.c.state == "done", member.c.outcome.is_(None), job.c.replays > member.c.was_replays + _own_replays
)
_has_gone = or_(member.c.outcome == CANCELLED, member.c.outcome == GONE)
LOST = (
    select(member.c.place)
    .outerjoin_from(member, job, job.c.id == member.c.job_id)
    .where(_of_act, member.c.place <= bindparam("until_place"), or_(_has_gone, _is_taken_over))
    .limit(1)
)


def look(conn: Connection, act: Row) -> dict[str, Any]:
    """Note what became of the next of its jobs, the first ones again after the last; what changed of the act."""
    places = {"after_place": act.watched_place, "until_place": act.moved_place, "at_most": AT_ONCE}
    rows = conn.execute(LOOK, {"of_act": act.id, **places}).all()
    news = [(row, outcome) for row in rows if row.state == "done" and (outcome := _outcome(act, row)) != _known(row)]
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
    most = conn.execute(MOST_FREQUENT, {"of_act": act.id, "until_place": act.moved_place}).first()
    return most if most is not None and most.jobs >= act.stop_after else None


def is_lost(conn: Connection, act: Row) -> bool:
    """Whether one of its jobs was cancelled, was replayed by somebody else before it was known, or is gone."""
    values = {"of_act": act.id, "until_place": act.moved_place, "own_replays": _replays(act)}
    return conn.execute(LOST, values).first() is not None


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


def _outcome(act: Row, row: Row) -> tuple[str | None, str | None]:
    """What became of one; an attempt that failed counts at once, though the job is tried again."""
    if row.status is None:
        return row.outcome or GONE, row.fingerprint
    if row.replays != row.was_replays + _replays(
        act
    ):  # somebody replayed it again: what it comes to now is of that act
        return _known(row)
    if row.status == Status.SUCCEEDED:
        return PASSED, None
    if _has_failed(act, row):
        now_in = _group(row)
        return SAME_ERROR if now_in == row.was_group else NEW_ERROR, now_in
    return (CANCELLED if row.status == Status.CANCELLED else None), None


def _replays(act: Row) -> int:
    """How many of a job's replays are the act's own."""
    return int(act.action == Action.REPLAY)


def _has_failed(act: Row, row: Row) -> bool:
    """Whether an attempt failed since it was moved; only a replay takes away what was known of earlier ones."""
    if row.error_fingerprint is None or act.action == Action.REPLAY:
        return row.error_fingerprint is not None
    return bool(row.attempts - (row.status == Status.RUNNING) > row.was_attempts)


def _group(row: Row) -> str:
    """The group that its error belongs to by the rules, into which a letter is moved some seconds after its death."""
    if row.is_split:
        return exact_fingerprint(row.handler_key, row.error_type or "", row.error_summary or "")
    return str(row.merged_into or row.error_fingerprint)
