"""Copies: a job made anew with another payload, and the original it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, bindparam, or_, select

from worker.database import Id, Row, insert, moment
from worker.job_types import EMAIL_JOB_TYPE, PROVISION_JOB_TYPE, JobTypes
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.jobs import NewJob, enqueue
from worker.queries.schema import job_copies

SOURCE = "copy"
_SHOWN = 20

_NEVER = {
    EMAIL_JOB_TYPE: "Its payload is sealed: only its worker can read it",
    PROVISION_JOB_TYPE: "A provisioning is started for its tenant, not copied",
}

INSERT = insert(job_copies).values(
    copy_id=bindparam("to_copy", type_=Id),
    original_id=bindparam("to_original", type_=Id),
    at=moment(),
    made_by=bindparam("by_actor"),
)
OF = (
    select(job_copies)
    .where(or_(job_copies.c.copy_id == bindparam("of_id", type_=Id), job_copies.c.original_id == bindparam("of_id")))
    .order_by(job_copies.c.at.desc())
    .limit(_SHOWN)
)


@dataclass(frozen=True, slots=True)
class Original:
    """What a copy takes from the job it is made from."""

    id: UUID
    job_type: str
    tenant_id: UUID | None
    max_attempts: int


def refusal(job: Row) -> str | None:
    """Why a job is not put in again with another payload; None where it can be."""
    if job.event_id is not None:
        return "It came from an event: publish a corrected event instead"
    return _NEVER.get(job.job_type)


def make(
    conn: Connection,
    job_types: JobTypes,
    original: Original,
    *,
    payload: Mapping[str, Any],
    queue: str,
    actor: Actor,
    reason: str | None,
    now: datetime | None = None,
) -> UUID:
    """Put in the same job with this payload, which shares neither the original's key nor its history; its id."""
    new = NewJob(
        original.job_type,
        payload,
        tenant_id=original.tenant_id,
        queue=queue,
        max_attempts=original.max_attempts,
        source=SOURCE,
    )
    made = enqueue(conn, job_types, new, now=now).id
    conn.execute(INSERT, {"to_copy": made, "to_original": original.id, "by_actor": actor.name, "at_now": now})
    audit.record(
        conn,
        actor=actor,
        action="copy",
        tenant_id=original.tenant_id,
        job_ids=[original.id, made],
        reason=reason,
        detail={"original": str(original.id), "copy": str(made)},
        now=now,
    )
    return made


def of(conn: Connection, *, job_id: UUID) -> Sequence[Row]:
    """The copies made from the job, and the one that it is itself, the newest first."""
    return conn.execute(OF, {"of_id": job_id}).all()
