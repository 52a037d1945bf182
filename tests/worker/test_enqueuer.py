"""Group commit: one INSERT for all who come at once, and to each the answer that is his."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from tests.factories import job, job_types, stored
from tests.refusing import refusing
from worker import Enqueuer, NewJob
from worker.database import connect
from worker.errors import EnqueuerFull, KeyReused, UnknownJobType
from worker.model import Status

TYPES = job_types("render_report")


class Gate:
    """Counts the INSERTs of an engine, and holds the first of them up until it is let go."""

    def __init__(self, engine: Engine) -> None:
        self.inserts = 0
        self.entered, self.free = Event(), Event()
        self._engine = engine
        event.listen(engine, "before_cursor_execute", self)

    def __call__(self, *arguments: Any) -> None:
        if arguments[2].startswith("INSERT") and "new_jobs" in arguments[2]:
            self.inserts += 1
            self.entered.set()
            assert self.free.wait(30)

    def forget(self) -> None:
        self.free.set()
        event.remove(self._engine, "before_cursor_execute", self)


@pytest.fixture
def gate(engine: Engine) -> Iterator[Gate]:
    gate = Gate(engine)
    yield gate
    gate.forget()


@pytest.fixture
def enqueuer(engine: Engine) -> Enqueuer:
    return Enqueuer(engine, TYPES)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(40) as pool:
        yield pool


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def together(
    enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor, *news: NewJob, **options: Any
) -> list[Future[Any]]:
    """One call each while another is being written."""
    first = pool.submit(enqueuer.enqueue, NewJob("render_report"))
    assert gate.entered.wait(20)
    calls = [pool.submit(enqueuer.enqueue, new, **options) for new in news]
    until(lambda: len(enqueuer._waiting) == len(news))
    gate.free.set()
    assert first.result(20).created
    return calls


def test_a_lone_caller_writes_at_once_and_the_job_is_there_when_it_returns(
    enqueuer: Enqueuer, conn: Connection, gate: Gate
) -> None:
    gate.free.set()
    made = enqueuer.enqueue(NewJob("render_report", {"a": 1}))
    assert (made.created, stored(conn, made.id).payload, gate.inserts) == (True, {"a": 1}, 1)


def test_who_comes_while_another_is_written_shares_one_insert(
    enqueuer: Enqueuer, conn: Connection, gate: Gate, pool: ThreadPoolExecutor
) -> None:
    calls = together(enqueuer, gate, pool, *(NewJob("render_report", {"n": n}) for n in range(30)))
    made = [call.result(20) for call in calls]
    assert [stored(conn, each.id).payload for each in made] == [{"n": n} for n in range(30)]
    assert gate.inserts == 2


def test_each_caller_gets_his_own_answer(
    enqueuer: Enqueuer, conn: Connection, gate: Gate, pool: ThreadPoolExecutor
) -> None:
    old = job(conn, status=Status.FAILED, idempotency_key="old")
    news = [
        NewJob("render_report", {"n": 1}),
        NewJob("render_report", idempotency_key="old"),
        NewJob("render_report", idempotency_key="new"),
        NewJob("render_report", idempotency_key="new"),
        NewJob("render_report", {"n": 2}),
    ]
    plain, known, one, other, last = (call.result(20) for call in together(enqueuer, gate, pool, *news))
    assert (plain.created, last.created) == (True, True)
    assert (known.id, known.created, known.status) == (old, False, Status.FAILED)
    assert (one.id, {one.created, other.created}) == (other.id, {True, False})


def test_one_reused_key_fails_alone(enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor) -> None:
    news = [NewJob("render_report", {"n": n}, idempotency_key="k" if n < 2 else None) for n in range(5)]
    calls = together(enqueuer, gate, pool, *news)
    errors = [call.exception(20) for call in calls]
    assert sorted(type(each).__name__ for each in errors) == ["KeyReused"] + 4 * ["NoneType"]


def test_what_the_database_refuses_fails_alone(enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor) -> None:
    with refusing(enqueuer._engine, "INSERT", "platform_jobs", when="new.payload ->> 'n' = '1'"):
        calls = together(enqueuer, gate, pool, *(NewJob("render_report", {"n": n}) for n in range(3)))
        errors = [call.exception(20) for call in calls]
    assert isinstance(errors[1], DBAPIError)
    assert (errors[0], errors[2]) == (None, None)


def test_what_cannot_be_kept_is_refused_before_it_waits(enqueuer: Enqueuer) -> None:
    with pytest.raises(UnknownJobType):
        enqueuer.enqueue(NewJob("nope"))


def test_a_failed_job_runs_again_for_who_asked_for_it(
    enqueuer: Enqueuer, conn: Connection, gate: Gate, pool: ThreadPoolExecutor
) -> None:
    old = job(conn, status=Status.FAILED, idempotency_key="k")
    new = NewJob("render_report", idempotency_key="k")
    calls = together(enqueuer, gate, pool, new, retry_terminal=True)
    assert [call.result(20).status for call in calls] == [Status.QUEUED]
    assert stored(conn, old).status == Status.QUEUED


def test_when_the_database_is_away_all_learn_it_and_the_next_caller_tries_again() -> None:
    away = connect("postgresql+psycopg://nobody@/none?host=/nonexistent", application_name="tests")
    enqueuer = Enqueuer(away, TYPES)
    for _ in range(2):
        with pytest.raises(OperationalError):
            enqueuer.enqueue(NewJob("render_report"))
    away.dispose()


def test_more_callers_than_it_may_hold_are_sent_away(engine: Engine, gate: Gate, pool: ThreadPoolExecutor) -> None:
    enqueuer = Enqueuer(engine, TYPES, most_waiting=2)
    first = pool.submit(enqueuer.enqueue, NewJob("render_report"))
    assert gate.entered.wait(20)
    calls = [pool.submit(enqueuer.enqueue, NewJob("render_report")) for _ in range(2)]
    until(lambda: len(enqueuer._waiting) == 2)
    with pytest.raises(EnqueuerFull, match="2 jobs wait"):
        enqueuer.enqueue(NewJob("render_report"))
    gate.free.set()
    assert all(call.result(20).created for call in (first, *calls))


def test_coroutines_share_an_insert_too(enqueuer: Enqueuer, conn: Connection, gate: Gate) -> None:
    gate.free.set()

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(
            *(enqueuer.enqueue_async(NewJob("render_report", {"n": n})) for n in range(100)),
            enqueuer.enqueue_async(NewJob("render_report", {}, idempotency_key="k")),
            enqueuer.enqueue_async(NewJob("render_report", {"other": 1}, idempotency_key="k")),
            return_exceptions=True,
        )

    *made, first, second = asyncio.run(all_at_once())
    assert [stored(conn, each.id).payload["n"] for each in made] == list(range(100))
    assert first.created
    assert isinstance(second, KeyReused)
    assert gate.inserts <= 4


def test_a_cancelled_coroutine_leaves_the_line_and_holds_nobody_up(enqueuer: Enqueuer, gate: Gate) -> None:
    async def scene() -> None:
        first = asyncio.create_task(enqueuer.enqueue_async(NewJob("render_report")))
        await asyncio.to_thread(gate.entered.wait, 20)
        impatient = asyncio.create_task(enqueuer.enqueue_async(NewJob("render_report", idempotency_key="never")))
        patient = asyncio.create_task(enqueuer.enqueue_async(NewJob("render_report")))
        await asyncio.to_thread(until, lambda: len(enqueuer._waiting) == 2)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        gate.free.set()
        assert [(await each).created for each in (first, patient)] == [True, True]
        assert (await enqueuer.enqueue_async(NewJob("render_report", idempotency_key="never"))).created

    asyncio.run(scene())


def line_of(enqueuer: Enqueuer, length: int, pool: ThreadPoolExecutor) -> asyncio.Future[None]:
    """That so many stand in the line."""
    return asyncio.wrap_future(pool.submit(until, lambda: len(enqueuer._waiting) == length))


@pytest.fixture
def first(enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor) -> Future[Any]:
    """Whoever is being written, until the gate is open."""
    first = pool.submit(enqueuer.enqueue, NewJob("render_report"))
    assert gate.entered.wait(20)
    return first


def test_coroutines_and_the_threads_of_their_loop_never_wait_for_each_other(
    enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor, first: Future[Any]
) -> None:
    async def scene() -> list[Any]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        coroutine = loop.create_task(enqueuer.enqueue_async(NewJob("render_report")))
        await line_of(enqueuer, 1, pool)
        with_its_only_thread = loop.run_in_executor(None, enqueuer.enqueue, NewJob("render_report"))
        await line_of(enqueuer, 2, pool)
        gate.free.set()
        async with asyncio.timeout(20):
            return [await coroutine, await with_its_only_thread]

    assert all(each.created for each in [*asyncio.run(scene()), first.result(20)])


def test_who_blocks_an_event_loop_does_not_wait_for_its_coroutines(
    enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor, first: Future[Any]
) -> None:
    def let_go() -> None:
        until(lambda: len(enqueuer._waiting) == 2)
        gate.free.set()

    async def scene() -> list[Any]:
        coroutine = asyncio.create_task(enqueuer.enqueue_async(NewJob("render_report")))
        await line_of(enqueuer, 1, pool)
        pool.submit(let_go)
        return [enqueuer.enqueue(NewJob("render_report")), await coroutine]

    assert all(each.created for each in [*asyncio.run(scene()), first.result(20)])


def test_a_loop_that_ends_with_its_coroutines_in_the_line_holds_nobody_up(
    enqueuer: Enqueuer, gate: Gate, pool: ThreadPoolExecutor, first: Future[Any]
) -> None:
    loop = asyncio.new_event_loop()
    left = loop.create_task(enqueuer.enqueue_async(NewJob("render_report")))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    behind = pool.submit(enqueuer.enqueue, NewJob("render_report"))
    until(lambda: len(enqueuer._waiting) == 2)
    gate.free.set()
    assert (first.result(20).created, behind.result(20).created, left.done()) == (True, True, False)


# One server process that loads the program, tries its enqueuer, and forks those that serve
FORKING = """
import asyncio, os, sys
from worker import Enqueuer, NewJob
from worker.database import connect
from worker.job_types import JobTypes

types = JobTypes()
types.register("render_report", print)
engine = connect(sys.argv[1], application_name="tests")
enqueuer = Enqueuer(engine, types)
asyncio.run(enqueuer.enqueue_async(NewJob("render_report")))
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
engine.dispose(close=False)
asyncio.run(enqueuer.enqueue_async(NewJob("render_report")))
os._exit(0)
"""


def test_a_forked_child_writes_with_a_hand_of_its_own(url: str, conn: Connection) -> None:
    subprocess.run([sys.executable, "-c", FORKING, url], check=True, timeout=30)
    assert conn.execute(text("SELECT count(*) FROM control.platform_jobs")).scalar_one() == 2
