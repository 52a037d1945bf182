"""Put work in: one job or many, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from worker.batches import Batch, portions
from worker.database import is_outage
from worker.errors import KeyReused
from worker.job_types import JobTypes
from worker.model import Status
from worker.new_jobs import Admitted, Enqueued, NewJob, door
from worker.queries.ahead import ahead
from worker.queries.callers import AsyncCaller, Caller, Steps, carry_out, carry_out_async
from worker.queries.insertions import INSERT, INSERT_NEW, KNOWN, RETRY
from worker.queries.wakeups import JOBS, WAKE
from worker.tracing import tracing

__all__ = ("Enqueued", "NewJob", "enqueue", "enqueue_async", "enqueue_each", "enqueue_many", "enqueue_many_async")


def enqueue(
    caller: Caller, job_types: JobTypes, new: NewJob, *, retry_terminal: bool = False, now: datetime | None = None
) -> Enqueued:
    """Insert one job, or return the one that has its key; with `retry_terminal` a failed or cancelled one runs again.

    `caller` is whoever holds the transaction: a SQLAlchemy Connection or Session, or a plain psycopg connection.
    Nothing is committed, so job and business rows stand or fall together (S1-22 to S1-33); on a connection in
    autocommit mode it is one round trip. What cannot be kept raises UnknownJobType or InvalidInput before any SQL. A
    key that belongs to a job of another type or with another payload raises KeyReused (A-57).
    """
    return carry_out(caller, _enqueue(job_types, new, retry_terminal=retry_terminal, now=now))


async def enqueue_async(
    caller: AsyncCaller, job_types: JobTypes, new: NewJob, *, retry_terminal: bool = False, now: datetime | None = None
) -> Enqueued:
    """`enqueue` in the transaction of an AsyncConnection, an AsyncSession or a psycopg AsyncConnection."""
    return await carry_out_async(caller, _enqueue(job_types, new, retry_terminal=retry_terminal, now=now))


def enqueue_many(
    caller: Caller, job_types: JobTypes, news: Iterable[NewJob], *, now: datetime | None = None
) -> list[Enqueued]:
    """Insert many jobs, thousands a statement; they run, and are answered, in the order given.

    Every job is checked before the first statement, so one that cannot be kept stops all of them. Those whose key is
    taken are answered with the job that has it; KeyReused, when it is another request's, comes after other jobs were
    written, so roll back then as after any error of the database.
    """
    return carry_out(caller, _enqueue_many(job_types, news, now=now))


async def enqueue_many_async(
    caller: AsyncCaller, job_types: JobTypes, news: Iterable[NewJob], *, now: datetime | None = None
) -> list[Enqueued]:
    """`enqueue_many` in the transaction of an AsyncConnection, an AsyncSession or a psycopg AsyncConnection."""
    return await carry_out_async(caller, _enqueue_many(job_types, news, now=now))


def enqueue_each(
    conn: Connection, admitted: Admitted, *, retry_terminal: bool = False
) -> list[Enqueued | KeyReused | DBAPIError]:
    """Insert jobs of strangers on a connection in autocommit mode: what one of them is refused, the others are not."""
    try:
        return [*carry_out(conn, _write(Batch(admitted), retry_terminal=retry_terminal, now=None))]
    except DBAPIError as error:
        if is_outage(error):
            raise
        if len(admitted.rows) == 1:
            return [error]
    alone = (admitted.part(place, place + 1) for place in range(len(admitted.rows)))
    return [answer for each in alone for answer in enqueue_each(conn, each, retry_terminal=retry_terminal)]


def _enqueue(job_types: JobTypes, new: NewJob, *, retry_terminal: bool, now: datetime | None) -> Steps[Enqueued]:
    with tracing().sending() as sending:
        admitted = door(job_types).admit([new], traceparent=sending.traceparent)
        answers = yield from _write(Batch(admitted), retry_terminal=retry_terminal, now=now)
        made = _accepted(answers)[0]
        sending.sent(admitted.queue, message_id=made.id)
    return made


def _enqueue_many(job_types: JobTypes, news: Iterable[NewJob], *, now: datetime | None) -> Steps[list[Enqueued]]:
    with tracing().sending() as sending:
        admitted = door(job_types).admit(news, traceparent=sending.traceparent)
        answers = yield from _write_many(admitted, now=now)
        sending.sent(admitted.queue, count=len(answers))
    return answers


def _write_many(admitted: Admitted, *, now: datetime | None) -> Steps[list[Enqueued]]:
    answers: list[Enqueued] = []
    to_announce = False
    for batch in ahead(Batch, [admitted.part(*bounds) for bounds in portions(admitted.sizes)]):
        if batch.is_new:
            yield INSERT_NEW, {**batch.values, "at_now": now}
            answers += batch.made
            to_announce = True
        else:
            answers += _accepted((yield from _write(batch, retry_terminal=False, now=now)))
    if to_announce:
        yield WAKE, {"on_channel": JOBS}
    return answers


def _write(batch: Batch, *, retry_terminal: bool, now: datetime | None) -> Steps[list[Enqueued | KeyReused]]:
    """Insert what is not there yet, and find what is."""
    values = {**batch.values, "at_now": now}
    made = {row.id for row in (yield INSERT, values)}
    if len(made) == len(batch.made):
        return [*batch.made]
    if retry_terminal:
        yield RETRY, values
    known = {row.asked_id: _known(row) for row in (yield KNOWN, values)}
    answers: list[Enqueued | KeyReused] = []
    for each in batch.made:
        answers.append(each if each.id in made else known[each.id])
        made.discard(each.id)  # of two that ask for one id, the first has it
    return answers


def _known(row: Any) -> Enqueued | KeyReused:
    if row.same:
        return Enqueued(row.id, created=False, status=Status(row.status))
    return KeyReused("idempotency_key: belongs to a request with another job type or payload")


def _accepted(answers: Sequence[Enqueued | KeyReused]) -> list[Enqueued]:
    for each in answers:
        if isinstance(each, KeyReused):
            raise each
    return [each for each in answers if isinstance(each, Enqueued)]
