"""Put work in: one job or many, in the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Boolean,
    Connection,
    Float,
    Integer,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    func,
    select,
    update,
)
from sqlalchemy import cast as sql_cast

from worker.database import Timestamp, digest, insert, json_of, moment, records, seconds
from worker.errors import InvalidInput, KeyReused
from worker.job_types import EMAIL_JOB_TYPE, JobTypes
from worker.model import Status, new_id
from worker.payloads import clean_text, to_text
from worker.queries import wakeups
from worker.queries.dead_letters import NEW_BUDGET
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.settings import attempts_budget, queue_name


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to enqueue; what is left out comes from its job type. `delay_seconds` counts on the database's clock."""

    job_type: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    tenant_id: UUID | None = None
    queue: str | None = None
    idempotency_key: str | None = None
    max_attempts: int | None = None
    available_at: datetime | None = None
    delay_seconds: float = 0
    source: str = "api"
    metadata: Mapping[str, Any] | None = None
    id: UUID = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What an enqueue came to: the job's id, whether this call made it, and its status now (A-58)."""

    id: UUID
    created: bool
    status: Status


_ROWS = records(
    "new_jobs",
    id=Uuid(),
    tenant_id=Uuid(),
    job_type=Text(),
    queue=Text(),
    payload=Text(),
    metadata=Text(),
    idempotency_key=Text(),
    max_attempts=Integer(),
    available_at=Timestamp,
    delay_seconds=Float(),
    source=Text(),
)
_new = _ROWS.c
_payload = json_of(_new.payload)
_available = func.coalesce(_new.available_at, moment() + seconds(_new.delay_seconds))
_SOURCE = select(
    _new.id,
    _new.tenant_id,
    _new.job_type,
    _new.queue,
    _payload,
    json_of(_new.metadata),
    _new.idempotency_key,
    case((_new.idempotency_key.is_not(None), digest(_new.job_type + " " + sql_cast(_payload, Text)))),
    _new.max_attempts,
    _available,
    sql_cast(_available > moment(), Boolean),
    _new.source,
    moment(),
    moment(),
)
_COLUMNS = [
    job.c.id,
    job.c.tenant_id,
    job.c.job_type,
    job.c.queue,
    job.c.payload,
    job.c.metadata,
    job.c.idempotency_key,
    job.c.idempotency_fingerprint,
    job.c.max_attempts,
    job.c.available_at,
    job.c.scheduled,
    job.c.source,
    job.c.created_at,
    job.c.updated_at,
]
INSERT = insert(job).from_select(_COLUMNS, _SOURCE).on_conflict_do_nothing().returning(job.c.id)

_of_key = and_(
    func.coalesce(sql_cast(job.c.tenant_id, Text), "") == bindparam("of_tenant", type_=Text),
    job.c.idempotency_key == bindparam("of_key", type_=Text),
)
BY_KEY = select(job.c.id, job.c.status, job.c.job_type, job.c.idempotency_fingerprint).where(_of_key)
FINGERPRINT = select(digest(bindparam("of_type", type_=Text) + " " + sql_cast(json_of(bindparam("body")), Text)))
RETRY_TERMINAL = (
    update(job)
    .where(job.c.id == bindparam("of_id"), has_status(Status.FAILED, Status.CANCELLED))
    .values(NEW_BUDGET)
    .returning(job.c.id)
)


def enqueue(
    conn: Connection, job_types: JobTypes, new: NewJob, *, retry_terminal: bool = False, now: datetime | None = None
) -> Enqueued:
    """Insert one job, or return the one that has its key; with `retry_terminal` a failed or cancelled one runs again.

    Nothing is committed: job and business rows stand or fall together (S1-22 to S1-33). UnknownJobType and InvalidInput
    are raised before any SQL, KeyReused when the key belongs to a request with another body.
    """
    row = _row(job_types, new)
    if conn.execute(INSERT, {"new_jobs": json.dumps([row]), "at_now": now}).first():
        wakeups.wake(conn, channel=wakeups.JOBS)
        return Enqueued(new.id, created=True, status=Status.QUEUED)
    of_key = {"of_tenant": str(new.tenant_id or ""), "of_key": new.idempotency_key}
    known = conn.execute(BY_KEY, of_key).one()
    asked = conn.execute(FINGERPRINT, {"of_type": new.job_type, "body": row["payload"]}).scalar_one()
    if known.job_type != new.job_type or known.idempotency_fingerprint not in (asked, None):
        raise KeyReused("idempotency_key: belongs to a request with another job type or payload")
    if retry_terminal and conn.execute(RETRY_TERMINAL, {"of_id": known.id, "at_now": now}).first():
        wakeups.wake(conn, channel=wakeups.JOBS)
        return Enqueued(known.id, created=False, status=Status.QUEUED)
    return Enqueued(known.id, created=False, status=Status(known.status))


def enqueue_many(
    conn: Connection, job_types: JobTypes, news: Sequence[NewJob], *, now: datetime | None = None
) -> list[UUID]:
    """Insert many jobs in one statement; the ids of those that are new, keys already taken being left as they are."""
    rows = [_row(job_types, new) for new in news]
    if not rows:
        return []
    made = conn.execute(INSERT, {"new_jobs": json.dumps(rows), "at_now": now}).scalars().all()
    wakeups.wake(conn, channel=wakeups.JOBS)
    return list(made)


def _row(job_types: JobTypes, new: NewJob) -> dict[str, Any]:
    """The row as one JSON object, every value checked, before any SQL (S1-29, S2-20)."""
    kind = job_types.get(new.job_type)
    payload = to_text(new.payload)
    if new.job_type == EMAIL_JOB_TYPE and not _is_sealed(new.payload):
        raise InvalidInput("payload", "send_email takes only the encrypted envelope")
    return {
        "id": str(new.id),
        "tenant_id": new.tenant_id and str(new.tenant_id),
        "job_type": kind.name,
        "queue": kind.queue if new.queue is None else queue_name(new.queue),
        "payload": payload,
        "metadata": None if new.metadata is None else to_text(new.metadata, field="metadata"),
        "idempotency_key": _key(new.idempotency_key),
        "max_attempts": kind.max_attempts if new.max_attempts is None else _attempts(new.max_attempts),
        "available_at": _instant(new.available_at),
        "delay_seconds": _delay(new.delay_seconds),
        "source": clean_text(new.source, field="source", limit=50),
    }


def _is_sealed(payload: Mapping[str, Any]) -> bool:
    return (
        payload.keys() == {"schema", "ciphertext"}
        and payload["schema"] == "watchfloor.email.v1"
        and isinstance(payload["ciphertext"], str)
    )


def _key(key: str | None) -> str | None:
    if key is None:
        return None
    if cleaned := clean_text(key, field="idempotency_key", limit=255):
        return cleaned
    raise InvalidInput("idempotency_key", "must not be empty")


def _attempts(value: object) -> int:
    try:
        return attempts_budget(value)
    except ValueError as refusal:
        raise InvalidInput("max_attempts", str(refusal).removeprefix("max_attempts ")) from None


def _delay(value: float) -> float:
    if 0 <= value <= 366 * 86_400:
        return value
    raise InvalidInput("delay_seconds", "must be from 0 to a year")


def _instant(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is None:
        raise InvalidInput("available_at", "must carry a time zone")
    return value.astimezone(UTC).isoformat()
