"""What an act does to some of its jobs, in one transaction: judge each once its row is ours, move those that may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, bindparam, select, update

from worker.database import Bytewise, Row, among, moment
from worker.model import Status
from worker.queries import cancellations, dead_letters, savepoints, wakeups
from worker.queries.bulk_acts import judging, members
from worker.queries.bulk_acts.acts import Action
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import worker_instances

_these = among(job.c.id, "of_ids")
_its_worker = worker_instances.c.instance_id == job.c.locked_by
_beat_at = select(worker_instances.c.last_heartbeat_at).where(_its_worker).scalar_subquery()
# By id alone, in id order, like everybody: two who act on the same jobs wait for each other, and never deadlock
LOCK = (
    select(
        job.c.id,
        job.c.status,
        job.c.queue,
        job.c.replays,
        job.c.generation,
        job.c.scheduled,
        job.c.available_at,
        job.c.cancel_requested_at,
        job.c.updated_at,
        job.c.finished_at,
        _beat_at.label("beat_at"),
    )
    .where(_these)
    .order_by(job.c.id)
    .with_for_update(of=job)
)
RUN = update(job).where(_these).values(available_at=moment(), scheduled=False, updated_at=moment())
REASSIGN = update(job).where(_these).values(queue=bindparam("to_queue", type_=Bytewise), updated_at=moment())


def move(conn: Connection, act: Row, *, place: int, limit: int) -> tuple[dict[str, Any], list[UUID]]:
    """Move the jobs that follow a place; what changed of the act, and the ids that were moved."""
    chosen = members.following(conn, act_id=act.id, place=place, limit=limit)
    rows = locked(conn, [each.job_id for each in chosen])
    refused = {each.job_id: judging.refusal(act, each, rows.get(each.job_id)) for each in chosen}
    wanted = sorted(job_id for job_id, why in refused.items() if why is None)
    failed = dict(_moved(conn, act, wanted, rows))
    left = [(job_id, "skipped", why) for job_id, why in refused.items() if why is not None]
    members.mark(conn, act_id=act.id, marks=[*left, *((each, "failed", why) for each, why in failed.items())])
    done = [each for each in wanted if each not in failed]
    if done and act.action != Action.CANCEL:
        wakeups.wake(conn, channel=wakeups.JOBS)
    asked = sum(rows[each].status == Status.RUNNING for each in done)
    counts = {
        "asked": act.asked + asked,
        "done": act.done + len(done),
        "skipped": act.skipped + len(left),
        "failed": act.failed + len(failed),
    }
    reasons = _added(act.reasons, [why for _, _, why in left])
    last = chosen[-1].place if chosen else act.moved_place
    return {**counts, "reasons": reasons, "moved_place": last, "moved_at": act.now}, done


def locked(conn: Connection, job_ids: Sequence[UUID]) -> dict[UUID, Row]:
    """The rows of those that exist, held until the transaction ends."""
    return {row.id: row for row in conn.execute(LOCK, {"of_ids": sorted(job_ids)})}


def _moved(conn: Connection, act: Row, wanted: Sequence[UUID], rows: Mapping[UUID, Row]) -> list[tuple[UUID, str]]:
    """Move them; those that the database refuses come back with its reason, and stop none of the others (A-11)."""

    def some(ids: Sequence[UUID]) -> None:
        members.remember(conn, act_id=act.id, job_ids=ids)
        _HOW[act.action](conn, act, [rows[each] for each in ids])
        members.moved(conn, act_id=act.id, job_ids=ids)

    refused = savepoints.apart(conn, wanted, some) if wanted else []
    return [(job_id, savepoints.reason(error)) for job_id, error in refused]


def _replay(conn: Connection, act: Row, rows: Sequence[Row]) -> None:
    dead_letters.requeue(conn, job_ids=[row.id for row in rows], wait_seconds=act.undo_seconds, now=act.now)


def _cancel(conn: Connection, act: Row, rows: Sequence[Row]) -> None:
    cancellations.end(conn, job_ids=[row.id for row in rows if row.status != Status.RUNNING], now=act.now)
    cancellations.ask(conn, job_ids=[row.id for row in rows if row.status == Status.RUNNING], now=act.now)


def _run(conn: Connection, act: Row, rows: Sequence[Row]) -> None:
    conn.execute(RUN, {"of_ids": [row.id for row in rows], "at_now": act.now})


def _reassign(conn: Connection, act: Row, rows: Sequence[Row]) -> None:
    conn.execute(REASSIGN, {"of_ids": [row.id for row in rows], "to_queue": act.to_queue, "at_now": act.now})


_HOW: Mapping[str, Callable[[Connection, Row, Sequence[Row]], None]] = {
    Action.REPLAY: _replay,
    Action.CANCEL: _cancel,
    Action.RUN: _run,
    Action.REASSIGN: _reassign,
}


def _added(known: Mapping[str, int], reasons: Sequence[str]) -> dict[str, int]:
    return dict(Counter(known) + Counter(reasons))
