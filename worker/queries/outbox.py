"""Publish an event with the producer's own data; fan it out to one job per subscriber (S2-05 to S2-10)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, Integer, Text, bindparam, literal, select, update

from worker.database import Id, Row, among, hint, insert, json_of, least, moment, one_of, optional, records, seconds
from worker.errors import InvalidInput
from worker.model import Event, new_id
from worker.payloads import clean_text, to_text
from worker.queries import wakeups
from worker.queries.callers import AsyncCaller, Caller, Steps, carry_out, carry_out_async
from worker.queries.savepoints import apart, reason
from worker.queries.schema import event_outbox as outbox
from worker.queries.schema import platform_jobs as job
from worker.queries.subscriptions import ELSEWHERE
from worker.subscribers import Subscribers
from worker.tracing import tracing
from worker.tracing.context import valid

NOBODY = "No subscriber is registered for this event type."
_RETRY_SECONDS = 60

PUBLISH = (
    insert(outbox)
    .values(
        id=bindparam("new_id"),
        event_id=bindparam("new_event_id"),
        event_type=bindparam("of_type"),
        source=bindparam("from_source"),
        occurred_at=bindparam("at_time"),
        tenant_id=optional("of_tenant", Id),
        payload=json_of(bindparam("body", type_=Text)),
        schema_version=bindparam("of_version"),
        metadata=json_of(optional("about", Text())),
        created_at=moment(),
        traceparent=optional("of_trace", Text()),
    )
    .on_conflict_do_nothing(index_elements=["event_id"])
    .returning(outbox.c.id, hint(wakeups.OUTBOX))
)
_columns = (outbox.c.id, outbox.c.event_type, outbox.c.relay_attempts, outbox.c.traceparent)
# What a subscriber waits for that is registered elsewhere, but not here, is left to a relay that knows it. The
# planner must not guess from the types it has seen how few rows that leaves: it would read and sort the whole backlog
_is_ours = ~one_of(outbox.c.event_type.concat(""), ELSEWHERE)
FRESH = (
    select(*_columns)
    .where(outbox.c.relayed_at.is_(None), outbox.c.retry_at.is_(None), _is_ours)
    .order_by(outbox.c.created_at, outbox.c.id)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
PARKED = (
    select(*_columns)
    .where(outbox.c.relayed_at.is_(None), outbox.c.retry_at.is_not(None), outbox.c.retry_at <= moment(), _is_ours)
    .order_by(outbox.c.retry_at)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
_PAIRS = records(
    "pairs",
    id=Id,
    outbox_id=Id,
    subscriber_id=Text(),
    job_type=Text(),
    queue=Text(),
    max_attempts=Integer(),
)
_pair = _PAIRS.c
FAN_OUT = (
    insert(job)
    .from_select(
        [
            "id",
            "tenant_id",
            "job_type",
            "event_id",
            "event_type",
            "subscriber_id",
            "source",
            "queue",
            "payload",
            "schema_version",
            "metadata",
            "max_attempts",
            "created_at",
            "updated_at",
            "available_at",
            "traceparent",
        ],
        select(
            _pair.id,
            outbox.c.tenant_id,
            _pair.job_type,
            outbox.c.event_id,
            outbox.c.event_type,
            _pair.subscriber_id,
            outbox.c.source,
            _pair.queue,
            outbox.c.payload,
            outbox.c.schema_version,
            outbox.c.metadata,
            _pair.max_attempts,
            moment(),
            moment(),
            moment(),
            outbox.c.traceparent,
        ).join_from(_PAIRS, outbox, outbox.c.id == _pair.outbox_id),
    )
    .on_conflict_do_nothing()
    .returning(job.c.id)
)
_STAMPS = records("stamps", id=Id, fanout=Integer())
STAMP = (
    update(outbox)
    .where(outbox.c.id == _STAMPS.c.id)
    .values(relayed_at=moment(), fanout=_STAMPS.c.fanout, relay_error=None, retry_at=None)
)
# An event that nobody takes, or that the database refused, waits aside and is tried again, later and later
PARK = (
    update(outbox)
    .where(among(outbox.c.id, "parked"))
    .values(
        relay_attempts=outbox.c.relay_attempts + 1,
        relay_error=bindparam("why"),
        retry_at=moment() + seconds(literal(_RETRY_SECONDS).bitwise_lshift(least(outbox.c.relay_attempts, 6))),
    )
)


@dataclass(frozen=True, slots=True)
class Relayed:
    """What one pass came to: events stamped, jobs made, events set aside because of an error or for want of a taker."""

    events: int = 0
    jobs: int = 0
    failed: int = 0
    unsubscribed: int = 0
    traceparents: tuple[str | None, ...] = field(default=(), compare=False)
    """The spans that the events belong to, one for each."""


def publish(caller: Caller, event: Event, *, now: datetime | None = None) -> UUID | None:
    """Write one outbox row in the caller's transaction; None when an event of that id was published before.

    `caller` is whoever holds the transaction: a SQLAlchemy Connection or Session, or a plain psycopg connection.
    Nothing is committed. The event is kept whether or not anybody has subscribed yet; what may be missed goes to a
    `worker.bus.Bus` instead, which stores nothing (S2-10). InvalidInput names what cannot be stored, before any SQL.
    """
    return carry_out(caller, _publish(event, now))


async def publish_async(caller: AsyncCaller, event: Event, *, now: datetime | None = None) -> UUID | None:
    """`publish` in the transaction of an AsyncConnection, an AsyncSession or a psycopg AsyncConnection."""
    return await carry_out_async(caller, _publish(event, now))


def _publish(event: Event, now: datetime | None) -> Steps[UUID | None]:
    if event.occurred_at.tzinfo is None:
        raise InvalidInput("occurred_at", "must carry a time zone")
    if type(event.schema_version) is not int or not 1 <= event.schema_version < 1 << 31:
        raise InvalidInput("schema_version", "must be a whole number from 1")
    row = {
        "new_id": new_id(),
        "new_event_id": _text(event.event_id, "event_id", 36),
        "of_type": _text(event.event_type, "event_type", 100),
        "from_source": _text(event.source, "source", 50),
        "at_time": event.occurred_at,
        "of_tenant": event.tenant_id,
        "body": to_text(event.payload),
        "of_version": event.schema_version,
        "about": None if event.metadata is None else to_text(event.metadata, field="metadata"),
    }
    with tracing().sending() as sending:
        row["of_trace"] = valid(event.traceparent) or sending.traceparent
        rows = yield PUBLISH, {**row, "at_now": now}
        sending.sent(event.event_type)
    return rows[0].id if rows else None


def relay(conn: Connection, subscribers: Subscribers, *, limit: int = 100, now: datetime | None = None) -> Relayed:
    """Fan out up to `limit` events, oldest first; safe on several replicas at once, and safe to repeat.

    An event that the database refuses is set aside alone with its error; one that nobody subscribes to is kept, never
    stamped (A-11, A-28, A-60); one that has a subscriber elsewhere which is unknown here is left to others.
    """
    asked = {"registered": [each.subscriber_id for each in subscribers.all()], "at_now": now}
    rows = list(conn.execute(FRESH, {**asked, "at_most": limit}))
    if room := limit - len(rows):
        rows += conn.execute(PARKED, {**asked, "at_most": room})
    taken = [row for row in rows if subscribers.of(row.event_type)]
    nobody = [row.id for row in rows if not subscribers.of(row.event_type)]
    made: list[int] = []
    failed = apart(conn, taken, lambda some: made.append(_fan_out(conn, subscribers, some, now))) if taken else []
    for row, error in failed:
        conn.execute(PARK, {"parked": [row.id], "why": reason(error), "at_now": now})
    if nobody:
        conn.execute(PARK, {"parked": nobody, "why": NOBODY, "at_now": now})
    if sum(made):
        wakeups.wake(conn, channel=wakeups.JOBS)
    spans = tuple(row.traceparent for row in taken)
    return Relayed(len(taken) - len(failed), sum(made), len(failed), len(nobody), spans)


def _fan_out(conn: Connection, subscribers: Subscribers, rows: Sequence[Row], now: datetime | None) -> int:
    pairs = [
        {
            "id": str(new_id()),
            "outbox_id": str(row.id),
            "subscriber_id": each.subscriber_id,
            "job_type": each.job_type,
            "queue": each.queue,
            "max_attempts": each.max_attempts,
        }
        for row in rows
        for each in subscribers.of(row.event_type)
    ]
    stamps = [{"id": str(row.id), "fanout": len(subscribers.of(row.event_type))} for row in rows]
    made = conn.execute(FAN_OUT, {"pairs": json.dumps(pairs), "at_now": now}).all()
    conn.execute(STAMP, {"stamps": json.dumps(stamps), "at_now": now})
    return len(made)


def _text(value: str, name: str, limit: int) -> str:
    if cleaned := clean_text(value, field=name, limit=limit):
        return cleaned
    raise InvalidInput(name, "must not be empty")
