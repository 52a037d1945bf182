"""Whoever holds the transaction: one and the same producer's function, and never a commit of its own (S1-27)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.rows import dict_row
from sqlalchemy import Connection, Engine, create_engine, func, make_url, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from tests.factories import NOON, job_types, stored
from worker import Event, NewJob, enqueue, enqueue_async, enqueue_many, enqueue_many_async, publish, publish_async
from worker.errors import KeyReused
from worker.model import Status
from worker.queries.callers import AsyncCaller, Caller
from worker.queries.schema import event_outbox, platform_jobs

TYPES = job_types("render_report")
KEYED = NewJob("render_report", {"a": [1, "ü"]}, uuid4(), "reports", "k", 3, NOON, source="shop", metadata={"by": "me"})
ORDER = Event("order.created", {"order": 7}, tenant_id=uuid4(), metadata={"trace": "x"})

Use = Callable[[Engine, Callable[[Caller], None]], None]
AsyncUse = Callable[[str, Callable[[AsyncCaller], Awaitable[None]]], Coroutine[Any, Any, None]]


class Gone(Exception):
    """What the business code raises in the middle of its transaction."""


def counted(conn: Connection) -> tuple[int, int]:
    jobs, events = (select(func.count()).select_from(table) for table in (platform_jobs, event_outbox))
    return conn.execute(jobs).scalar_one(), conn.execute(events).scalar_one()


def of_connection(engine: Engine, act: Callable[[Caller], None]) -> None:
    with engine.begin() as conn:
        act(conn)


def of_session(engine: Engine, act: Callable[[Caller], None]) -> None:
    with Session(engine) as session, session.begin():
        act(session)


def of_scoped_session(engine: Engine, act: Callable[[Caller], None]) -> None:
    session = scoped_session(sessionmaker(engine))
    try:
        act(session)
        session.commit()
    finally:
        session.remove()


def of_plain_psycopg(engine: Engine, act: Callable[[Caller], None]) -> None:
    url = engine.url
    with psycopg.connect(
        host=str(url.query["host"]), user=url.username, dbname=url.database, row_factory=dict_row
    ) as conn:
        act(conn)


async def of_async_connection(url: str, act: Callable[[AsyncCaller], Awaitable[None]]) -> None:
    engine = create_async_engine(url)
    try:
        async with engine.begin() as conn:
            await act(conn)
    finally:
        await engine.dispose()


async def of_async_session(url: str, act: Callable[[AsyncCaller], Awaitable[None]]) -> None:
    engine = create_async_engine(url)
    try:
        async with AsyncSession(engine) as session, session.begin():
            await act(session)
    finally:
        await engine.dispose()


async def of_async_psycopg(url: str, act: Callable[[AsyncCaller], Awaitable[None]]) -> None:
    at = make_url(url)
    async with await psycopg.AsyncConnection.connect(
        host=str(at.query["host"]), user=at.username, dbname=at.database
    ) as conn:
        await act(conn)


SYNC = [("postgresql", use) for use in (of_connection, of_session, of_scoped_session, of_plain_psycopg)]
SYNC += [("sqlite", use) for use in (of_connection, of_session)]
ASYNC = [of_async_connection, of_async_session, of_async_psycopg]

each_caller = pytest.mark.parametrize(("database", "use"), SYNC, indirect=["database"])
each_async_caller = pytest.mark.parametrize("use", ASYNC)
pytestmark = pytest.mark.postgresql  # which database is said above


@each_caller
def test_what_was_put_in_is_there_once_the_caller_commits(engine: Engine, conn: Connection, use: Use) -> None:
    made: list[UUID] = []

    def act(caller: Caller) -> None:
        made.append(enqueue(caller, TYPES, KEYED, now=NOON).id)
        made.extend(
            each.id for each in enqueue_many(caller, TYPES, [NewJob("render_report", {"n": n}) for n in (1, 2)])
        )
        assert publish(caller, ORDER) is not None
        assert publish(caller, ORDER) is None

    use(engine, act)
    assert counted(conn) == (3, 1)
    assert_kept(conn, made)


@each_caller
def test_nothing_of_it_is_there_when_the_caller_fails(engine: Engine, conn: Connection, use: Use) -> None:
    def act(caller: Caller) -> None:
        enqueue(caller, TYPES, NewJob("render_report"))
        enqueue_many(caller, TYPES, [NewJob("render_report")])
        publish(caller, ORDER)
        raise Gone

    with pytest.raises(Gone):
        use(engine, act)
    assert counted(conn) == (0, 0)


@each_caller
def test_a_key_is_looked_up_and_its_job_run_again_for_every_kind_of_caller(
    engine: Engine, conn: Connection, use: Use
) -> None:
    enqueue(conn, TYPES, KEYED)
    conn.execute(platform_jobs.update().values(status=Status.CANCELLED, finished_at=NOON))

    def act(caller: Caller) -> None:
        known = enqueue(caller, TYPES, KEYED)
        assert (known.created, known.status) == (False, Status.CANCELLED)
        assert enqueue(caller, TYPES, KEYED, retry_terminal=True).status == Status.QUEUED
        with pytest.raises(KeyReused):
            enqueue(caller, TYPES, NewJob("render_report", {"other": 1}, KEYED.tenant_id, idempotency_key="k"))

    use(engine, act)


@each_async_caller
def test_an_asynchronous_caller_has_the_same(url: str, conn: Connection, use: AsyncUse) -> None:
    made: list[UUID] = []

    async def act(caller: AsyncCaller) -> None:
        made.append((await enqueue_async(caller, TYPES, KEYED, now=NOON)).id)
        assert (await enqueue_async(caller, TYPES, KEYED)).created is False
        many = await enqueue_many_async(caller, TYPES, [NewJob("render_report", {"n": n}) for n in (1, 2)])
        made.extend(each.id for each in many)
        assert await publish_async(caller, ORDER) is not None
        assert await publish_async(caller, ORDER) is None

    asyncio.run(use(url, act))
    assert counted(conn) == (3, 1)
    assert_kept(conn, made)


@each_async_caller
def test_nothing_of_it_is_there_when_an_asynchronous_caller_fails(url: str, conn: Connection, use: AsyncUse) -> None:
    async def act(caller: AsyncCaller) -> None:
        await enqueue_async(caller, TYPES, NewJob("render_report"))
        await publish_async(caller, ORDER)
        raise Gone

    with pytest.raises(Gone):
        asyncio.run(use(url, act))
    assert counted(conn) == (0, 0)


def test_an_engine_of_the_callers_own_will_do(url: str, conn: Connection) -> None:
    theirs = create_engine(url)
    with theirs.begin() as caller:
        caller.execute(text("CREATE TEMPORARY TABLE orders (id int)"))
        enqueue(caller, TYPES, KEYED)
    theirs.dispose()
    assert counted(conn) == (1, 0)


def test_who_holds_no_transaction_is_told_so(engine: Engine) -> None:
    with pytest.raises(TypeError, match="not by Engine"):
        enqueue(engine, TYPES, NewJob("render_report"))  # type: ignore[arg-type] # the mistake under test


def test_a_set_that_is_refused_in_the_middle_leaves_no_thread_behind(engine: Engine) -> None:
    before = threading.active_count()
    news = (NewJob("render_report", {"n": n}, queue=f"q{n}", id=uuid4()) for n in range(5000))
    with engine.connect() as mine:
        mine.execute(text("ALTER TABLE control.platform_jobs ADD CONSTRAINT poison CHECK (queue <> 'q1')"))
        with pytest.raises(DBAPIError) as refusal:
            enqueue_many(mine, TYPES, news)
        assert threading.active_count() == before, refusal.value


def assert_kept(conn: Connection, made: list[UUID]) -> None:
    keyed, *others = (stored(conn, each) for each in made)
    assert (keyed.payload, keyed.tenant_id, keyed.queue) == (KEYED.payload, KEYED.tenant_id, "reports")
    assert (keyed.max_attempts, keyed.idempotency_key) == (3, "k")
    assert (keyed.available_at, keyed.source, keyed.metadata, keyed.created_at) == (NOON, "shop", {"by": "me"}, NOON)
    assert [(each.payload, each.queue, each.idempotency_fingerprint) for each in others] == [
        ({"n": 1}, "default", None),
        ({"n": 2}, "default", None),
    ]
    event = conn.execute(select(event_outbox)).one()
    assert (event.event_id, event.payload, event.tenant_id) == (ORDER.event_id, ORDER.payload, ORDER.tenant_id)
    assert (event.metadata, event.occurred_at) == (ORDER.metadata, ORDER.occurred_at)
