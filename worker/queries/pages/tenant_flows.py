"""How fast the work of several tenants comes and goes; see `flow` for that of one, or of all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, func, select

from worker.database import Id, Row, Timestamp, among, for_each, records
from worker.model import AttemptOutcome
from worker.queries.pages.flow import FAILURES, FINAL, MINUTES, RECENT, Flow, spelt, total
from worker.queries.schema import RUN_BUCKETS
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenant_statistics_minutes as minutes

ARRIVALS_READ = 500
"""Newest rows read of each: where more came, the rate is taken over the shorter time they span."""

_of = minutes.c
_recent_minute = bindparam("recent_minute", type_=Timestamp)
_recent = _of.minute >= _recent_minute
ENDED = (
    select(
        _of.tenant_id,
        _of.queue,
        _of.handler_key,
        total(_of.jobs, _recent & _of.outcome.in_(spelt(FINAL))).label("finished"),
        total(_of.jobs, _recent & _of.outcome.in_(spelt(FAILURES))).label("failed"),
        total(_of.jobs, _recent).label("attempts"),
        *(total(_of[name], _of.outcome == AttemptOutcome.COMPLETED).label(name) for name in RUN_BUCKETS),
    )
    .where(among(_of.tenant_id, "of_tenants"))
    .where(_of.minute.between(bindparam("first_minute", type_=Timestamp), bindparam("last_minute", type_=Timestamp)))
    .group_by(_of.tenant_id, _of.queue, _of.handler_key)
)
_wanted = records("wanted", tenant_id=Id)
_newest = (
    select(job.c.tenant_id, job.c.queue, job.c.handler_key, job.c.created_at)
    .where(job.c.tenant_id == _wanted.c.tenant_id)
    .where(job.c.created_at.between(_recent_minute, bindparam("at_now", type_=Timestamp)))
    .order_by(job.c.created_at.desc(), job.c.id.desc())
    .limit(ARRIVALS_READ)
)
_came = for_each(_wanted, _newest, key=job.c.id).subquery("came").c
ARRIVED = select(
    _came.tenant_id,
    _came.queue,
    _came.handler_key,
    func.count().label("jobs"),
    func.min(_came.created_at).label("since"),
).group_by(_came.tenant_id, _came.queue, _came.handler_key)


def read(conn: Connection, *, tenant_ids: Sequence[UUID], now: datetime) -> dict[UUID, list[Flow]]:
    """The rates of the last five minutes and the run times of the last hour, by tenant."""
    if not tenant_ids:
        return {}
    minute = now.replace(second=0, microsecond=0)
    recent, first = minute - RECENT, minute - RECENT / 5 * (MINUTES - 1)
    within = {"recent_minute": recent, "first_minute": first, "last_minute": minute, "at_now": now}
    came = _rates(conn, tenant_ids, within, now)
    elapsed = (now - recent).total_seconds() / 60
    found: dict[UUID, list[Flow]] = {}
    for row in conn.execute(ENDED, {**within, "of_tenants": list(tenant_ids)}):
        arrived = came.pop((row.tenant_id, row.queue, row.handler_key), 0)
        found.setdefault(row.tenant_id, []).append(_flow(row, arrived, elapsed))
    for (tenant_id, queue, handler), arrived in came.items():
        found.setdefault(tenant_id, []).append(Flow(queue, handler, arrived=arrived))
    return found


def _flow(row: Row, arrived: float, minutes_elapsed: float) -> Flow:
    return Flow(
        row.queue,
        row.handler_key,
        arrived=arrived,
        finished=row.finished / minutes_elapsed,
        failed=row.failed / minutes_elapsed,
        attempts=row.attempts / minutes_elapsed,
        runs=tuple(row._mapping[name] for name in RUN_BUCKETS),
    )


def _rates(
    conn: Connection, tenant_ids: Sequence[UUID], within: dict[str, datetime], now: datetime
) -> dict[tuple[UUID, str, str], float]:
    wanted = json.dumps([{"tenant_id": str(each)} for each in tenant_ids])
    rows = conn.execute(ARRIVED, {**within, "wanted": wanted}).all()
    read: dict[UUID, int] = {}
    since: dict[UUID, datetime] = {}
    for row in rows:
        read[row.tenant_id] = read.get(row.tenant_id, 0) + row.jobs
        since[row.tenant_id] = min(since.get(row.tenant_id, row.since), row.since)

    def minutes_read(tenant_id: UUID) -> float:
        began = since[tenant_id] if read[tenant_id] >= ARRIVALS_READ else within["recent_minute"]
        return max((now - began).total_seconds(), 1) / 60

    return {(row.tenant_id, row.queue, row.handler_key): row.jobs / minutes_read(row.tenant_id) for row in rows}
