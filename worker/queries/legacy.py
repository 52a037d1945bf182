"""Jobs that a release without queues left on `default`: whose they are, and moving them where they belong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Subquery, Text, select, union_all, update

from worker.database import among, moment, one_of, records
from worker.model import DEFAULT_QUEUE, Status
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.queries.spans import Legacy

_AT_MOST = 1000

_routes = records("routes", subscriber_id=Text(), queue=Text())


def _left(which: ColumnElement[bool], *line: ColumnElement[Any]) -> Subquery:
    """Those of one line, in the order of its index: by any other, a plan would walk over all jobs there ever were."""
    return (
        select(job.c.id)
        .where(has_status(Status.QUEUED), which, job.c.queue == DEFAULT_QUEUE)
        .where(among(job.c.subscriber_id, "subscribers"))
        .order_by(*line)
        .limit(_AT_MOST)
        .with_for_update(skip_locked=True)
        .subquery()
    )


_ready = _left(~job.c.scheduled, job.c.queue, job.c.created_at, job.c.id)
_later = _left(job.c.scheduled, job.c.available_at, job.c.id)
_found = union_all(select(_ready.c.id), select(_later.c.id)).subquery("found")
RETAG = (
    update(job)
    .where(one_of(job.c.id, select(_found.c.id).limit(_AT_MOST)), job.c.subscriber_id == _routes.c.subscriber_id)
    .values(queue=_routes.c.queue, updated_at=moment())
)


def rules(routes: Mapping[str, str], allowed: Sequence[str] | None) -> Legacy:
    """What a worker of these queues adopts and leaves out, by the queue of each subscriber that it registers.

    Of two workers with the same registrations, one that adopts a job serves its subscriber's queue, and one that takes
    it from `default` either serves that queue too or would have left it out (S2-93).
    """
    if allowed is None:
        return Legacy()
    named = {subscriber: queue for subscriber, queue in routes.items() if queue != DEFAULT_QUEUE}
    mine = tuple(sorted(subscriber for subscriber, queue in named.items() if queue in allowed))
    return Legacy(adopt=mine, exclude=tuple(sorted(named.keys() - set(mine))))


def retag(conn: Connection, routes: Mapping[str, str], *, now: datetime | None = None) -> int:
    """Move up to a thousand waiting jobs of these subscribers from `default` to their queue; how many there were."""
    moves = [{"subscriber_id": name, "queue": queue} for name, queue in routes.items() if queue != DEFAULT_QUEUE]
    if not moves:
        return 0
    values = {"routes": json.dumps(moves), "subscribers": [each["subscriber_id"] for each in moves], "at_now": now}
    return conn.execute(RETAG, values).rowcount
