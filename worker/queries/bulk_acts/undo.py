"""Put back what an act moved and nobody moved since: each job by its own guard, so that a claim always wins."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, bindparam, select, update

from worker.database import Id, Row, among, moment
from worker.model import Status
from worker.queries import audit, wakeups
from worker.queries.audit import Actor
from worker.queries.bulk_acts import acts, judging, members, moves
from worker.queries.bulk_acts.acts import AT_ONCE, ActState
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import platform_jobs as job

OFFERED = timedelta(hours=24)
"""How long undoing is offered; what came of it is told job by job."""

_of_act = member.c.act_id == bindparam("of_act", type_=Id)
MOVED = (
    select(member)
    .where(_of_act, member.c.state == "done", member.c.place > bindparam("after_place"))
    .order_by(member.c.place)
    .limit(bindparam("at_most"))
)
RESTORE = (
    update(job)
    .where(_of_act, member.c.job_id == job.c.id, among(job.c.id, "of_ids"))
    .values(
        {name: member.c[was] for name, was in members.WAS.items()}
        | {"replays": member.c.was_replays, "updated_at": moment()}
    )
)


def is_offered(act: Row) -> bool:
    """Whether there may be something to put back."""
    return act.done > 0 and act.state not in (ActState.UNDOING, ActState.UNDONE) and act.now - act.moved_at < OFFERED


def undo(conn: Connection, *, act_id: UUID, actor: Actor, now: datetime | None = None) -> Row | None:
    """Stop the act and put its jobs back, at once where they are few; the act, or None when there was nothing to undo.

    The audit row is written in the same transaction.
    """
    act = acts.lock(conn, act_id=act_id, now=now)
    if act is None or not is_offered(act):
        return None
    detail = {"act": str(act.id), "of": act.action}
    told = partial(audit.record, conn, actor=actor, action="undo", target=f"act {act.id}", detail=detail, now=act.now)
    if act.moved_place > AT_ONCE:
        changes = {"state": ActState.UNDOING, "watched_place": 0, "ended_by": actor.name, "next_at": act.now}
        acts.save(conn, act, {**changes, "undo_action_id": told(job_ids=act.done)})
    else:
        changes, back = put_back(conn, act, place=0)
        changes |= acts.ended(act, ActState.UNDONE, by=actor.name)
        acts.save(conn, act, {**changes, "undo_action_id": told(job_ids=back)})
    return acts.get(conn, act_id=act_id, now=now)


def go_on(conn: Connection, act: Row) -> dict[str, Any]:
    """Put the next jobs of a large act back; what changed of the act."""
    changes, back = put_back(conn, act, place=act.watched_place)
    members.link(conn, act_id=act.id, action_id=act.undo_action_id, job_ids=back)
    over = changes["watched_place"] == act.watched_place
    return changes | (acts.ended(act, ActState.UNDONE, by=act.ended_by) if over else {"next_at": act.now})


def put_back(conn: Connection, act: Row, *, place: int) -> tuple[dict[str, Any], list[UUID]]:
    """Restore up to so many jobs behind a place; those that something happened to keep what happened."""
    chosen = conn.execute(MOVED, {"of_act": act.id, "after_place": place, "at_most": AT_ONCE}).all()
    rows = moves.locked(conn, [each.job_id for each in chosen])
    refused = {each.job_id: judging.standing(each, rows.get(each.job_id)) for each in chosen}
    back = sorted(job_id for job_id, why in refused.items() if why is None)
    if back:
        conn.execute(RESTORE, {"of_act": act.id, "of_ids": back, "at_now": act.now})
        wakeups.wake(conn, channel=wakeups.JOBS)
    marks = [(job_id, "undone" if why is None else "done", why) for job_id, why in refused.items()]
    members.mark(conn, act_id=act.id, marks=marks)
    counts = {"done": act.done - len(back), "undone": act.undone + len(back)}
    counts["asked"] = act.asked - sum(each.was_status == Status.RUNNING for each in chosen if each.job_id in set(back))
    return {**counts, "watched_place": chosen[-1].place if chosen else act.watched_place}, back
