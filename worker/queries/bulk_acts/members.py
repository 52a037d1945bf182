"""The jobs of an act: chosen once, in an order; each remembers what it was, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Connection,
    Insert,
    Select,
    Text,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    select,
    update,
)

from worker.database import BigId, Id, Row, among, records
from worker.model import Status
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import operator_action_jobs
from worker.queries.schema import platform_jobs as job

CHOSEN = (job.c.id, job.c.generation, job.c.replays)
"""What a choice selects, in the order in which its jobs are moved."""
BY_ID = select(*CHOSEN).where(among(job.c.id, "of_ids")).order_by(job.c.id)
BY_ID_OF_TENANT = BY_ID.where(job.c.tenant_id == bindparam("of_tenant", type_=Id))

WAS = {
    name: f"was_{name}"
    for name in (
        "status",
        "queue",
        "attempts",
        "available_at",
        "scheduled",
        "cancel_requested_at",
        "finished_at",
        "error_type",
        "error_summary",
        "error_detail",
        "error_fingerprint",
        "error_alike",
        "error_rule",
    )
}
"""What a move may change of a job, and where it is remembered."""

_of_act = member.c.act_id == bindparam("of_act", type_=Id)
_these = and_(_of_act, among(member.c.job_id, "of_ids"))
_its_job = member.c.job_id == job.c.id
NEXT = (
    select(member.c.place, member.c.job_id, member.c.was_generation, member.c.was_replays)
    .where(_of_act, member.c.place > bindparam("after_place"))
    .order_by(member.c.place)
    .limit(bindparam("at_most"))
)
CAME_TO = (
    select(member.c.job_id, member.c.state, member.c.was_status)
    .where(_of_act, member.c.state != "left")
    .order_by(member.c.place)
)
# From now on what counts is what it is as it is moved: it may have been tried or replayed since it was chosen
_COUNTERS = {"was_generation": job.c.generation, "was_replays": job.c.replays}
REMEMBER = update(member).where(_these, _its_job).values({was: job.c[name] for name, was in WAS.items()} | _COUNTERS)
# When it was moved, by the word of its own row: whoever moves it after that changes it, and is not undone
MOVED = (
    update(member)
    .where(_these, _its_job)
    .values(
        state="done",
        moved_at=case((job.c.status == Status.RUNNING, job.c.cancel_requested_at), else_=job.c.updated_at),
    )
)
_marks = records("marks", job_id=Id, state=Text(), why=Text())
MARK = update(member).where(_of_act, member.c.job_id == _marks.c.job_id).values(state=_marks.c.state, why=_marks.c.why)
LINK = insert(operator_action_jobs).from_select(
    ["action_id", "job_id"],
    select(bindparam("of_action", type_=BigId), member.c.job_id).where(_these),
)


def choosing(chosen: Select[Any]) -> Insert:
    """The statement that writes a choice down as the jobs of an act, each at its place."""
    rows = chosen.subquery("chosen")
    place = func.row_number().over()
    columns = ["act_id", "place", "job_id", "state", "was_generation", "was_replays"]
    act_id = bindparam("of_act", type_=Id)
    found = select(act_id, place, rows.c.id, literal("left"), rows.c.generation, rows.c.replays)
    return insert(member).from_select(columns, found).execution_options(preserve_rowcount=True)


def choose(conn: Connection, *, act_id: UUID, chosen: Select[Any], values: Mapping[str, Any]) -> int:
    """Fix the jobs of an act; how many there are."""
    return conn.execute(choosing(chosen), {"of_act": act_id, **values}).rowcount


def following(conn: Connection, *, act_id: UUID, place: int, limit: int) -> Sequence[Row]:
    """The jobs at the places after this one."""
    return conn.execute(NEXT, {"of_act": act_id, "after_place": place, "at_most": limit}).all()


def remember(conn: Connection, *, act_id: UUID, job_ids: Collection[UUID]) -> None:
    """Keep what these jobs are now."""
    conn.execute(REMEMBER, {"of_act": act_id, "of_ids": sorted(job_ids)})


def moved(conn: Connection, *, act_id: UUID, job_ids: Collection[UUID]) -> None:
    """Say of these that they were moved by the act, just now."""
    conn.execute(MOVED, {"of_act": act_id, "of_ids": sorted(job_ids)})


def mark(conn: Connection, *, act_id: UUID, marks: Iterable[tuple[UUID, str, str | None]]) -> None:
    """Say of each what it came to, and why."""
    rows = [{"job_id": str(job_id), "state": state, "why": why and why[:200]} for job_id, state, why in marks]
    if rows:
        conn.execute(MARK, {"of_act": act_id, "marks": json.dumps(rows)})


def link(conn: Connection, *, act_id: UUID, action_id: int | None, job_ids: Collection[UUID]) -> None:
    """Tell these under a row of the audit trail, so that each job knows who did what to it."""
    if job_ids and action_id is not None:
        conn.execute(LINK, {"of_act": act_id, "of_action": action_id, "of_ids": sorted(job_ids)})


def came_to(conn: Connection, *, act_id: UUID) -> dict[str, list[UUID]]:
    """The jobs of a small act by what became of them; of those done, `asked` are the running that may stop."""
    found: dict[str, list[UUID]] = {"done": [], "asked": [], "skipped": [], "failed": []}
    for row in conn.execute(CAME_TO, {"of_act": act_id}):
        asked = row.state == "done" and row.was_status == Status.RUNNING
        found["asked" if asked else row.state].append(row.job_id)
    return found
