"""How jobs become rows: one statement over one JSON document, whatever their number."""

from __future__ import annotations

from sqlalchemy import Boolean, Float, Integer, Text, and_, case, func, literal_column, or_, select, update
from sqlalchemy import cast as sql_cast

from worker.database import Id, Json, Timestamp, digest, hint, insert, moment, optional, records, seconds
from worker.model import Status
from worker.queries.dead_letters import NEW_BUDGET
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.queries.wakeups import JOBS

_new = records(
    "new_jobs",
    id=Id,
    tenant_id=Id,
    job_type=Text(),
    queue=Text(),
    payload=Json,
    metadata=Json,
    idempotency_key=Text(),
    max_attempts=Integer(),
    available_at=Timestamp,
    delay_seconds=Float(),
    source=Text(),
    traceparent=Text(),
).c
# What all jobs of the set share is bound once, and left out of their rows
_job_type = func.coalesce(_new.job_type, optional("all_job_type", Text()))
_available = func.coalesce(
    _new.available_at, moment() + seconds(func.coalesce(_new.delay_seconds, literal_column("0")))
)
_fingerprint = digest(_job_type + literal_column("' '", Text) + sql_cast(_new.payload, Text))
_VALUES = {
    job.c.id: _new.id,
    job.c.tenant_id: _new.tenant_id,
    job.c.job_type: _job_type,
    job.c.queue: func.coalesce(_new.queue, optional("all_queue", Text())),
    job.c.payload: _new.payload,
    job.c.metadata: _new.metadata,
    job.c.idempotency_key: _new.idempotency_key,
    job.c.idempotency_fingerprint: case((_new.idempotency_key.is_not(None), _fingerprint)),
    job.c.max_attempts: func.coalesce(_new.max_attempts, optional("all_max_attempts", Integer())),
    job.c.available_at: _available,
    job.c.scheduled: sql_cast(_available > moment(), Boolean),
    job.c.source: func.coalesce(_new.source, optional("all_source", Text())),
    job.c.created_at: moment(),
    job.c.updated_at: moment(),
    job.c.traceparent: _new.traceparent,
}
INSERT_NEW = insert(job).from_select([*_VALUES], select(*_VALUES.values()))
"""For jobs without keys and with ids of our own: none can be there already, and not to look saves a fifth."""
INSERT = INSERT_NEW.on_conflict_do_nothing().returning(job.c.id, hint(JOBS))

_NOBODY = literal_column("''", Text)  # written out, as in the index of the keys
_has_key = and_(
    func.coalesce(sql_cast(job.c.tenant_id, Text), _NOBODY) == func.coalesce(sql_cast(_new.tenant_id, Text), _NOBODY),
    job.c.idempotency_key == _new.idempotency_key,
)
_is_same = and_(job.c.job_type == _job_type, func.coalesce(job.c.idempotency_fingerprint, _fingerprint) == _fingerprint)
_is_known = or_(_has_key, job.c.id == _new.id)
KNOWN = select(_new.id.label("asked_id"), job.c.id, job.c.status, _is_same.label("same")).where(_is_known)
"""The jobs that those which came to nothing would have been, and whether they are of the same request."""

RETRY = (
    update(job)
    .where(_is_known, _is_same, has_status(Status.FAILED, Status.CANCELLED))
    .values(NEW_BUDGET)
    .returning(job.c.id, hint(JOBS))
)
"""Run those again that came to an end other than success."""
