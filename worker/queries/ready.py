"""What is ready to run, and taking it: one statement that locks, leases and answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Subquery,
    Text,
    UpdateBase,
    bindparam,
    func,
    select,
    true,
    tuple_,
    union_all,
    update,
)

from worker.database import Id, Timestamp, among, elapsed_ms, moment, one_of, seconds, text_of
from worker.model import LEASE_EXPIRED, Job, Status
from worker.queries import queues
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.queries.spans import Legacy, Rule, Span

_PROMOTE_AT_MOST = 1000
SPANS_AT_ONCE = 16
"""There is a statement per shape; more spans than this take more than one."""

_later = (has_status(Status.QUEUED), job.c.scheduled)
_due = select(job.c.id).where(*_later, job.c.available_at <= moment()).order_by(job.c.available_at, job.c.id)
PROMOTE = (
    update(job)
    .where(one_of(job.c.id, _due.limit(_PROMOTE_AT_MOST).with_for_update(skip_locked=True)))
    .values(scheduled=False)
)
_next = select(job.c.available_at).where(*_later).order_by(job.c.available_at).limit(1).subquery("next")
NEXT_DUE = select(elapsed_ms(moment(), _next.c.available_at))

# In the order of the fields of `Job`
_TAKEN = (
    job.c.id,
    job.c.job_type,
    job.c.queue,
    text_of(job.c.payload),
    job.c.attempts,
    job.c.max_attempts,
    job.c.generation,
    job.c.locked_at,
    job.c.created_at,
    job.c.available_at,
    job.c.tenant_id,
    job.c.event_id,
    job.c.event_type,
    job.c.subscriber_id,
    job.c.source,
    job.c.schema_version,
    text_of(job.c.steps_completed),
    job.c.error_type.is_not_distinct_from(LEASE_EXPIRED),
    job.c.traceparent,
)
_subscriber = func.coalesce(job.c.subscriber_id, "", type_=Text)
_RULES: dict[Rule, ColumnElement[bool]] = {
    Rule.ANYBODY: true(),
    Rule.NOT_EXCLUDED: ~among(_subscriber, "exclude"),
    Rule.ONLY_ADOPTED: among(_subscriber, "adopt"),
}


def promote(conn: Connection, *, now: datetime | None = None) -> int:
    """Let claims see the jobs whose time has come; how many there were."""
    return conn.execute(PROMOTE, {"at_now": now}).rowcount


def next_due_seconds(conn: Connection, *, now: datetime | None = None) -> float | None:
    """How long until the time of the next job comes, 0 when it has come; None when none waits for its time."""
    wait_ms = conn.execute(NEXT_DUE, {"at_now": now}).scalar()
    return None if wait_ms is None else float(wait_ms) / 1000


def take(
    conn: Connection,
    *,
    instance_id: str,
    job_types: Sequence[str],
    wanted: Sequence[Span],
    limit: int,
    lease_seconds: float,
    legacy: Legacy | None = None,
    now: datetime | None = None,
) -> list[Job]:
    """Lease up to `limit` ready jobs of these spans, in their order; a pause that came meanwhile is honoured.

    It takes one statement for `SPANS_AT_ONCE`, which may stand alone; more are to be in one transaction.
    """
    adopt, exclude = legacy or Legacy()
    values: dict[str, Any] = {"job_types": list(job_types), "at_now": now}
    values |= {"by_instance": instance_id, "lease_seconds": lease_seconds}
    values |= {"adopt": list(adopt), "exclude": list(exclude)}
    jobs: list[Job] = []
    for start in range(0, len(wanted), SPANS_AT_ONCE):
        part = wanted[start : start + SPANS_AT_ONCE]
        if (room := limit - len(jobs)) > 0:
            jobs += _taken(conn, part, {**values, "at_most": room, **_places(part)})
    return jobs


def _taken(conn: Connection, part: Sequence[Span], values: dict[str, Any]) -> list[Job]:
    rows = conn.execute(taking(tuple(span.rule for span in part)), values).all()
    jobs = [Job.of_columns(row) for row in rows]
    return sorted(jobs, key=lambda each: (each.queue < part[0].first, each.queue, each.created_at, each.id.int))


@cache
def taking(rules: tuple[Rule, ...]) -> UpdateBase:
    """A scan per span, a later one begun only when those before did not suffice.

    What was locked is found again by its ids alone: with its status beside them, a plan would walk over all that is
    queued.
    """
    parts = [_ready(place, rule) for place, rule in enumerate(rules)]
    rows = union_all(*(select(part.c.id) for part in parts)).subquery("ready")
    return (
        update(job)
        .where(one_of(job.c.id, select(rows.c.id).limit(bindparam("at_most", type_=Integer))))
        .values(
            status=Status.RUNNING,
            attempts=job.c.attempts + 1,
            generation=job.c.generation + 1,
            locked_at=moment(),
            locked_by=bindparam("by_instance"),
            lease_expires_at=moment() + seconds(bindparam("lease_seconds")),
            updated_at=moment(),
        )
        .returning(*_TAKEN)
    )


def _ready(place: int, rule: Rule) -> Subquery:
    """What is ready in one span, locked as it is looked at: the limit stops the scan, and so the locking."""
    line = (job.c.queue, job.c.created_at, job.c.id)
    begins = ((f"first_{place}", Text()), (f"since_{place}", Timestamp), (f"beyond_{place}", Id))
    return (
        select(job.c.id)
        .where(
            has_status(Status.QUEUED),
            ~job.c.scheduled,
            job.c.available_at <= moment(),
            among(job.c.job_type, "job_types"),
            tuple_(*line) >= tuple_(*(bindparam(name, type_=type_) for name, type_ in begins)),
            job.c.queue < bindparam(f"end_{place}"),
            job.c.queue.not_in(queues.PAUSED_NAMES),
            _RULES[rule],
        )
        .order_by(*line)
        .limit(bindparam("at_most", type_=Integer))
        .with_for_update(skip_locked=True)
        .subquery(f"span_{place}")
    )


def _places(wanted: Sequence[Span]) -> dict[str, Any]:
    places: dict[str, Any] = {}
    for place, span in enumerate(wanted):
        places |= {f"first_{place}": span.first, f"end_{place}": span.end}
        places |= {f"since_{place}": span.mark.created_at, f"beyond_{place}": span.mark.id}
    return places
