"""Put work in: one job or many, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from worker.batches import Batch, batched
from worker.errors import KeyReused
from worker.job_types import JobTypes
from worker.model import Status
from worker.new_jobs import Enqueued, NewJob, admit
from worker.queries.ahead import ahead
from worker.queries.callers import AsyncCaller, Caller, Steps, carry_out, carry_out_async
from worker.queries.insertions import INSERT, INSERT_NEW, KNOWN, RETRY
from worker.queries.wakeups import JOBS, WAKE

__all__ = ("Enqueued", "NewJob", "enqueue", "enqueue_async", "enqueue_many", "enqueue_many_async")


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
    """Insert many jobs, a thousand a statement; the answers are in the order of the jobs.

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


def _enqueue(job_types: JobTypes, new: NewJob, *, retry_terminal: bool, now: datetime | None) -> Steps[Enqueued]:
    (answer,) = yield from write(Batch(admit(job_types, [new])), retry_terminal=retry_terminal, now=now)
    return answer


def _enqueue_many(job_types: JobTypes, news: Iterable[NewJob], *, now: datetime | None) -> Steps[list[Enqueued]]:
    answers: list[Enqueued] = []
    to_announce = False
    for batch in ahead(Batch, batched(admit(job_types, news))):
        if batch.is_new:
            yield INSERT_NEW, {**batch.values, "at_now": now}
            answers += batch.made
            to_announce = True
        else:
            answers += yield from write(batch, now=now)
    if to_announce:
        yield WAKE, {"on_channel": JOBS}
    return answers


def write(batch: Batch, *, retry_terminal: bool = False, now: datetime | None = None) -> Steps[list[Enqueued]]:
    """Insert what is not there yet, and find what is; KeyReused when that is of another request."""
    values = {**batch.values, "at_now": now}
    made = {row.id for row in (yield INSERT, values)}
    if len(made) == len(batch.made):
        return batch.made
    if retry_terminal:
        yield RETRY, values
    known = {}
    for row in (yield KNOWN, values):
        if not row.same:
            raise KeyReused("idempotency_key: belongs to a request with another job type or payload")
        known[row.asked_id] = Enqueued(row.id, created=False, status=Status(row.status))
    return [each if each.id in made else known[each.id] for each in batch.made]
