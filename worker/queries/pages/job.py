"""One job: the row, its attempts, what operators did to it, the other jobs of its event, and what stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, bindparam, func, literal_column, select, tuple_

from worker.database import Id, Row, Timestamp, moment, octets, text_of
from worker.queries.pages.backlog import DEAD, WAITING
from worker.queries.pages.jobs import LINE
from worker.queries.pages.names import worker_name
from worker.queries.pages.states import STATE
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import operator_action_jobs, operator_actions
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

PAYLOAD_SHOWN = 32_000
"""Characters of a payload that a page shows; what is longer is cut, with its size beside."""

ATTEMPTS, ACTIONS, SIBLINGS = 100, 50, 50
COUNTED = 1_000

_payload = text_of(job.c.payload)
JOB = (
    select(
        *LINE,
        job.c.event_id,
        job.c.event_type,
        job.c.subscriber_id,
        job.c.source,
        job.c.idempotency_key,
        job.c.generation,
        job.c.replays,
        job.c.progress,
        job.c.lease_expires_at,
        job.c.cancel_requested_at,
        job.c.error_detail,
        job.c.error_fingerprint,
        job.c.traceparent,
        func.substr(_payload, 1, PAYLOAD_SHOWN).label("payload"),
        octets(_payload).label("payload_bytes"),
        func.substr(text_of(job.c.metadata), 1, PAYLOAD_SHOWN).label("metadata_text"),
        tenant.c.slug.label("tenant"),
        worker_name(job.c.locked_by).label("worker"),
        moment().label("now"),
    )
    .select_from(job.outerjoin(tenant, tenant.c.id == job.c.tenant_id))
    .where(job.c.id == bindparam("of_id"))
)
PAYLOAD_OF = select(_payload.label("payload")).where(job.c.id == bindparam("of_id"))
ATTEMPTS_OF = (
    select(*attempt.c, worker_name(attempt.c.worker_id).label("worker"))
    .where(attempt.c.job_id == bindparam("of_id"))
    .order_by(attempt.c.generation.desc())
    .limit(ATTEMPTS)
)
ACTIONS_ON = (
    select(
        operator_actions.c.id,
        operator_actions.c.at,
        operator_actions.c.actor,
        operator_actions.c.action,
        operator_actions.c.reason,
        operator_actions.c.detail,
        operator_actions.c.jobs,
    )
    .join(operator_action_jobs, operator_action_jobs.c.action_id == operator_actions.c.id)
    .where(operator_action_jobs.c.job_id == bindparam("of_id"))
    .order_by(operator_action_jobs.c.action_id.desc())
    .limit(ACTIONS)
)
SIBLINGS_OF = (
    select(job.c.id, job.c.handler_key, job.c.queue, STATE.label("state"), job.c.created_at, job.c.finished_at)
    .where(job.c.event_id == bindparam("of_event"))
    .order_by(job.c.subscriber_id)
    .limit(SIBLINGS)
)


def _counted(rows: Select[Any]) -> Select[Any]:
    return select(func.count()).select_from(rows.limit(COUNTED).subquery())


_one: Select[Any] = select(literal_column("1")).select_from(job)
_alike = _one.where(DEAD, job.c.error_fingerprint == bindparam("of_group"))
ALIKE, OWN_ALIKE = _counted(_alike), _counted(_alike.where(job.c.tenant_id == bindparam("of_tenant", type_=Id)))
AHEAD = _counted(
    _one.where(
        WAITING,
        job.c.queue == bindparam("of_queue"),
        tuple_(job.c.created_at, job.c.id)
        < tuple_(bindparam("created", type_=Timestamp), bindparam("of_id", type_=Id)),
    )
)


def read(conn: Connection, *, job_id: UUID, now: datetime | None = None) -> Row | None:
    """The job with its tenant's short name and the beginning of its payload as text."""
    return conn.execute(JOB, {"of_id": job_id, "at_now": now}).first()


def payload(conn: Connection, *, job_id: UUID) -> str | None:
    """All of the job's payload, as text."""
    return conn.execute(PAYLOAD_OF, {"of_id": job_id}).scalar()


def attempts(conn: Connection, *, job_id: UUID) -> Sequence[Row]:
    """The attempts that ended, the newest first, a hundred at most."""
    return conn.execute(ATTEMPTS_OF, {"of_id": job_id}).all()


def actions(conn: Connection, *, job_id: UUID) -> Sequence[Row]:
    """What operators did to the job, the newest first, fifty at most."""
    return conn.execute(ACTIONS_ON, {"of_id": job_id}).all()


def siblings(conn: Connection, *, event_id: str, now: datetime | None = None) -> Sequence[Row]:
    """The jobs of one event, this one among them, fifty at most."""
    return conn.execute(SIBLINGS_OF, {"of_event": event_id, "at_now": now}).all()


def alike(conn: Connection, *, fingerprint: str, tenant_id: UUID | None = None) -> int:
    """How many dead letters, of one tenant or of all, have the same error; counting ends at COUNTED."""
    values = {"of_group": fingerprint, "of_tenant": tenant_id}
    return int(conn.execute(OWN_ALIKE if tenant_id else ALIKE, values).scalar_one())


def ahead(conn: Connection, *, queue: str, created_at: datetime, job_id: UUID) -> int:
    """How many ready jobs of the queue are older; counting ends at COUNTED."""
    values = {"of_queue": queue, "created": created_at, "of_id": job_id}
    return int(conn.execute(AHEAD, values).scalar_one())
