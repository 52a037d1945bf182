"""Copies: a job made anew with another payload, and the original it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, literal, or_, select

from worker.database import Bytewise, Id, Row, insert, json_of, moment, optional, serialise
from worker.errors import InvalidInput, KeyReused
from worker.job_types import EMAIL_JOB_TYPE, PROVISION_JOB_TYPE, JobTypes
from worker.model import new_id
from worker.payloads import to_text
from worker.queries import audit, wakeups
from worker.queries.audit import Actor
from worker.queries.jobs import NewJob, enqueue
from worker.queries.schema import job_copies
from worker.queries.schema import platform_jobs as job
from worker.settings import queue_name
from worker.tracing import tracing

SOURCE = "copy"
_SHOWN = 20

_NEVER = {
    EMAIL_JOB_TYPE: "Its payload is sealed: only its worker can read it, and a replay sends it as it is",
    PROVISION_JOB_TYPE: "Two provisionings would meet in one schema: it is started again on the page of its tenant",
}

INSERT = insert(job_copies).values(
    copy_id=bindparam("to_copy", type_=Id),
    original_id=bindparam("to_original", type_=Id),
    at=moment(),
    made_by=bindparam("by_actor"),
)
# Under an event id of its own, so that the copy goes to the one subscriber: the others are told nothing again
_OF_ORIGINAL = {
    job.c.id: bindparam("to_copy", type_=Id),
    job.c.tenant_id: job.c.tenant_id,
    job.c.job_type: job.c.job_type,
    job.c.event_id: bindparam("to_event", type_=Text),
    job.c.event_type: job.c.event_type,
    job.c.subscriber_id: job.c.subscriber_id,
    job.c.schema_version: job.c.schema_version,
    job.c.metadata: job.c.metadata,
    job.c.max_attempts: job.c.max_attempts,
    job.c.source: literal(SOURCE),
    job.c.queue: bindparam("to_queue", type_=Bytewise),
    job.c.payload: json_of(bindparam("body", type_=Text)),
    job.c.created_at: moment(),
    job.c.updated_at: moment(),
    job.c.available_at: moment(),
    job.c.traceparent: optional("of_trace", Text()),
}
INSERT_OF_EVENT = (
    insert(job)
    .from_select([*_OF_ORIGINAL], select(*_OF_ORIGINAL.values()).where(job.c.id == bindparam("to_original", type_=Id)))
    .returning(job.c.id)
)
OF = (
    select(job_copies)
    .where(or_(job_copies.c.copy_id == bindparam("of_id", type_=Id), job_copies.c.original_id == bindparam("of_id")))
    .order_by(job_copies.c.at.desc())
    .limit(_SHOWN)
)

MADE = (
    select(job_copies.c.original_id, job.c.payload, job.c.queue)
    .outerjoin(job, job.c.id == job_copies.c.copy_id)
    .where(job_copies.c.copy_id == bindparam("of_id", type_=Id))
)


@dataclass(frozen=True, slots=True)
class Original:
    """What a copy takes from the job it is made from."""

    id: UUID
    job_type: str
    tenant_id: UUID | None
    max_attempts: int
    event_id: str | None = None

    @classmethod
    def of(cls, row: Row) -> Original:
        """What a stored job gives."""
        return cls(row.id, row.job_type, row.tenant_id, row.max_attempts, row.event_id)


def refusal(row: Row) -> str | None:
    """Why a job is not put in again with another payload; None where it can be."""
    return _NEVER.get(row.job_type) if row.event_id is None else None


def make(
    conn: Connection,
    job_types: JobTypes,
    original: Original,
    *,
    payload: Mapping[str, Any],
    queue: str,
    actor: Actor,
    reason: str | None,
    copy_id: UUID | None = None,
    now: datetime | None = None,
) -> UUID:
    """Put in the same job with this payload, which shares neither the original's key nor its history; its id.

    What came from an event goes to its subscriber alone, under an event id of its own.
    """
    made = copy_id or new_id()
    with conn.begin_nested():  # a copy that is refused leaves no word of itself
        # Written down first: the database lets the console make a job of an event only where it is such a copy
        conn.execute(INSERT, {"to_copy": made, "to_original": original.id, "by_actor": actor.name, "at_now": now})
        if original.event_id is not None:
            new = {"to_copy": made, "body": to_text(payload), "to_queue": _queue(queue), "at_now": now}
            _of_event(conn, original, new)
        else:
            budget, tenant = original.max_attempts, original.tenant_id
            given: dict[str, Any] = {"tenant_id": tenant, "queue": queue, "max_attempts": budget, "source": SOURCE}
            enqueue(conn, job_types, NewJob(original.job_type, payload, id=made, **given), now=now)
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


def _of_event(conn: Connection, original: Original, new: Mapping[str, Any]) -> None:
    values = {**new, "to_event": str(new_id()), "to_original": original.id}
    with tracing().sending() as sending:
        if conn.execute(INSERT_OF_EVENT, {**values, "of_trace": sending.traceparent}).first() is None:
            raise InvalidInput("payload", "has lost its original: it was pruned a moment ago")
        sending.sent(new["to_queue"], message_id=new["to_copy"])
    wakeups.wake(conn, channel=wakeups.JOBS)


def _queue(name: str) -> str:
    try:
        return queue_name(name)
    except ValueError as refused:
        raise InvalidInput("queue", str(refused)) from None


def is_made(conn: Connection, *, copy_id: UUID, original_id: UUID, payload: Mapping[str, Any], queue: str) -> bool:
    """Whether this copy was made before; when not, nobody else makes it until the transaction ends.

    KeyReused where the copy of that id is another one.
    """
    serialise(conn, f"copy {copy_id}")
    found = conn.execute(MADE, {"of_id": copy_id}).first()
    if found is None:
        return False
    known = found.original_id, found.payload, found.queue
    if found.queue is not None and known != (original_id, dict(payload), queue):  # else it was pruned since
        raise KeyReused("the key belongs to another copy")
    return True


def of(conn: Connection, *, job_id: UUID) -> Sequence[Row]:
    """The copies made from the job, and the one that it is itself, the newest first."""
    return conn.execute(OF, {"of_id": job_id}).all()
