"""An act from its first press to its end: a step of it at a time, each a transaction that stands or falls whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select

from worker.database import Row
from worker.errors import InvalidInput
from worker.model import new_id
from worker.queries import audit
from worker.queries.audit import SYSTEM, Actor
from worker.queries.bulk_acts import acts, members, moves, undo, watch
from worker.queries.bulk_acts.acts import AT_ONCE, UNDER_WAY, WATCHED, ActState, Mode, Terms

_SECOND = timedelta(seconds=1)
_GOING_ON = {"state": ActState.MOVING, "stop_after": None, "why": None, "ended_at": None, "ended_by": None}
_CATCH_UP = timedelta(seconds=3)
"""What a rate makes good of a pause at most: else after an outage of an hour, an hour's jobs would go at once."""


def begin(
    conn: Connection,
    *,
    terms: Terms,
    chosen: Select[Any],
    values: Mapping[str, Any],
    shown: int = 0,
    actor: Actor,
    reason: str | None,
    now: datetime,
    act_id: UUID | None = None,
) -> Row:
    """Fix the jobs of a new act and do what is done at once: all of them, one of them, or none.

    `chosen` selects `members.CHOSEN`; `shown` is how many the person was told of, and InvalidInput says that there are
    more by now, or that it cannot be done so: the caller's transaction has to be taken back then. What was moved here
    stands in the audit trail by the same transaction; of a larger set the trail has the number now, and each job as it
    is moved.
    """
    acts.require(terms)
    act_id = act_id or new_id()
    acts.add(conn, act_id=act_id, terms=terms, actor=actor, reason=reason, now=now)
    jobs = members.choose(conn, act_id=act_id, chosen=chosen, values=values)
    if 0 < shown < jobs:
        raise InvalidInput("shown", f"{jobs:,} match by now, and you were told of {shown:,}: look again")
    act = acts.lock(conn, act_id=act_id, now=now)
    assert act is not None
    changes: dict[str, Any] = {"chosen": jobs, "missed": max(shown - jobs, 0)}
    if jobs <= 1 or (terms.mode == Mode.ALL and jobs <= AT_ONCE):
        changes |= _all_at_once(conn, act, actor)
    else:
        changes |= {"action_id": _told(conn, act, actor, jobs), "next_at": now}
        changes["state"] = ActState.TRIAL if terms.mode == Mode.ONE_FIRST else ActState.MOVING
    acts.save(conn, act, changes)
    begun = acts.get(conn, act_id=act_id, now=now)
    assert begun is not None
    return begun


def step(conn: Connection, *, now: datetime | None = None) -> Row | None:
    """Take the next step of the act that is due first; the act as it was before, or None when none is due."""
    act = acts.due(conn, now=now)
    if act is not None:
        acts.save(conn, act, _STEPS[act.state](conn, act))
    return act


def abort(conn: Connection, *, act_id: UUID, actor: Actor, now: datetime | None = None) -> Row | None:
    """Leave what is left of an act as it is; None when nothing was left to do. A step in hand ends first."""
    act = acts.lock(conn, act_id=act_id, now=now)
    if act is None or act.state not in (*UNDER_WAY - {ActState.UNDOING}, ActState.STOPPED):
        return None
    _tell(conn, act, actor, "abort")
    acts.save(conn, act, acts.ended(act, ActState.ABORTED, by=actor.name))
    return acts.get(conn, act_id=act_id, now=now)


def resume(conn: Connection, *, act_id: UUID, actor: Actor, now: datetime | None = None) -> Row | None:
    """Go on with an act that stopped by itself, without its rule; None when it does not stand still."""
    act = acts.lock(conn, act_id=act_id, now=now)
    if act is None or act.state != ActState.STOPPED:
        return None
    _tell(conn, act, actor, "go-on")
    acts.save(conn, act, {**_GOING_ON, "next_at": act.now})
    return acts.get(conn, act_id=act_id, now=now)


def _all_at_once(conn: Connection, act: Row, actor: Actor) -> dict[str, Any]:
    changes, done = moves.move(conn, act, place=0, limit=AT_ONCE)
    action_id = _told(conn, act, actor, done) if done else None
    return {**changes, **acts.ended(act, ActState.DONE), "action_id": action_id}


def _told(conn: Connection, act: Row, actor: Actor, jobs: list[UUID] | int) -> int:
    """The row of the audit trail for an act: with its jobs, or with their number where they are moved later."""
    detail = {"act": str(act.id), **({"mode": act.mode} if act.mode != Mode.ALL else {})}
    detail |= {"to": act.to_queue} if act.to_queue else {}
    whose: dict[str, Any] = {"actor": actor, "reason": act.reason, "now": act.now}
    return audit.record(conn, action=act.action, job_ids=jobs, detail=detail, **whose)


def _tell(conn: Connection, act: Row, actor: Actor, action: str, *, why: str | None = None) -> None:
    detail = {"act": str(act.id), "of": act.action}
    audit.record(conn, actor=actor, action=action, target=f"act {act.id}", reason=why, detail=detail, now=act.now)


def _try(conn: Connection, act: Row) -> dict[str, Any]:
    """The first job: wait for what becomes of it, and only then go on with the others, or stop."""
    if not act.done:  # the one before was no longer to be moved
        return _moving(conn, act, limit=1)
    changes = watch.look(conn, act)
    if changes["passed"]:
        return {**changes, "state": ActState.MOVING, "next_at": act.now}
    if changes["same_error"] or changes["new_error"]:
        error = "the same error" if changes["same_error"] else "a new error"
        return changes | _stopped(conn, act, f"the first one failed with {error}")
    if watch.is_lost(conn, act):
        return changes | _stopped(conn, act, "the first one was cancelled or replayed by somebody else, or is gone")
    return {**changes, "next_at": act.now + _SECOND}


def _move(conn: Connection, act: Row) -> dict[str, Any]:
    """The next jobs, as many as its rate allows, unless too many failed alike."""
    if act.mode == Mode.ALL:
        return _moving(conn, act, limit=AT_ONCE)
    looked = watch.look(conn, act) if act.action in WATCHED else {}
    if most := watch.failing(conn, act):
        return looked | _stopped(conn, act, f"{most.jobs} failed with the same error")
    if act.mode != Mode.RATE:
        return looked | _moving(conn, act, limit=AT_ONCE)
    limit, paid_at = _allowed(act)
    return looked | _moving(conn, act, limit=limit) | {"moved_at": paid_at}


def _moving(conn: Connection, act: Row, *, limit: int) -> dict[str, Any]:
    if not limit:
        return {"next_at": act.now + _SECOND}
    changes, done = moves.move(conn, act, place=act.moved_place, limit=limit)
    members.link(conn, act_id=act.id, action_id=act.action_id, job_ids=done)
    if changes["moved_place"] >= act.chosen:
        return changes | acts.ended(act, ActState.DONE)
    rated = act.mode == Mode.RATE or act.state == ActState.TRIAL
    return {**changes, "next_at": act.now + _SECOND if rated else act.now}


def _allowed(act: Row) -> tuple[int, datetime]:
    """How many its rate allows by now, and up to when that pays for them: what is left of a second counts later."""
    since: datetime = max(act.moved_at, act.now - _CATCH_UP) if act.moved_at else act.now - _SECOND
    limit = min(act.rate * (act.now - since) // _SECOND, AT_ONCE)
    return limit, since + limit * _SECOND / act.rate


def _stopped(conn: Connection, act: Row, why: str) -> dict[str, Any]:
    _tell(conn, act, SYSTEM, "stop", why=why)
    return acts.ended(act, ActState.STOPPED, why=why)


def _look(conn: Connection, act: Row) -> dict[str, Any]:
    """An act that moves nothing more: what becomes of its jobs."""
    if act.action not in WATCHED:
        return {"next_at": None}
    changes = watch.look(conn, act)
    return {**changes, "next_at": watch.again_at(act, changes)}


_STEPS: Mapping[str, Callable[[Connection, Row], dict[str, Any]]] = {
    ActState.TRIAL: _try,
    ActState.MOVING: _move,
    ActState.UNDOING: undo.go_on,
    ActState.DONE: _look,
    ActState.STOPPED: _look,
    ActState.ABORTED: _look,
}
