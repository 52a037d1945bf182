"""The stream: what changed, the time, and nothing that outlives its session (A-78)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import datetime
from threading import Event
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import anyio
import pytest
from sqlalchemy import Connection, Engine, delete, text
from starlette.applications import Starlette

from app import sessions
from app.live import BEAT_EVERY_SECONDS, MAX_AGE_SECONDS, Live, topics
from app.sampler import Sampler
from tests import factories
from tests.app.conftest import browser, signed_in
from tests.app.test_sampler import Clock
from worker.database import Connection as AnyConnection
from worker.database import connect
from worker.queries.operators import Operator, by_name
from worker.queries.pages.figures import Figures, NavItem
from worker.queries.schema import operator_sessions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def figures_of(topics: dict[str, str], ready: str = "7") -> Figures:
    """As little of a sample as the stream reads."""
    nav = [NavItem("queues", "Queues", "/queues", ready)]
    return cast(Figures, SimpleNamespace(topics=lambda: dict(topics), nav=lambda: nav))


class World:
    """A console's live part whose figures and clock the test decides."""

    def __init__(self, engine: Engine, conn: Connection) -> None:
        self.clock = Clock()
        self.topics = {"jobs": "1", "queues": "1"}
        self.ready = "7"
        self.readings = 0
        self.theirs = {"jobs": "1"}
        self.sampler = Sampler(self.sample, narrow=self.narrow, clock=self.clock)
        self.live = Live(engine, self.sampler, clock=self.clock)
        self.token = sessions.digest(signed_in(conn))
        found = by_name(conn, name="dana")
        assert found
        self.operator = Operator(found.id, found.name, found.role)

    def sample(self, conn: AnyConnection, *, now: datetime | None) -> Figures:
        self.readings += 1
        return figures_of(self.topics, self.ready)

    def narrow(self, conn: AnyConnection, figures: Figures, *, tenant_id: UUID) -> Figures:
        return figures_of(self.theirs, "3")

    def open(self, seen: dict[str, str] | None = None, tenant_id: UUID | None = None) -> Any:
        return self.live.stream(self.operator, self.token, seen or {}, tenant_id=tenant_id)

    async def look(self, seconds: float = 1.0) -> None:
        """One look at the database, `seconds` after the last."""
        self.clock.at += seconds
        await asyncio.sleep(0)
        self.live._roll = await anyio.to_thread.run_sync(self.live.look)
        self.live._announce()


@pytest.fixture
def world(engine: Engine, conn: Connection) -> World:
    return World(engine, conn)


async def following(world: World, stream: Any, seconds: float = 1.0) -> str:
    """What the stream says after the next look."""
    text = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    await world.look(seconds)
    return await asyncio.wait_for(text, 30)


async def test_a_stream_says_the_databases_time_and_then_what_changed(world: World) -> None:
    async with aclosing(world.open()) as stream:
        assert await anext(stream) == ": watching\n\n"
        first = await following(world, stream)
        assert first.startswith("event: live:beat\ndata: 20")
        assert "live:jobs" not in first
        assert await following(world, stream) == ""
        world.topics["jobs"] = "2"
        assert await following(world, stream) == "event: live:jobs\ndata: \n\n"
        assert await following(world, stream) == ""


async def test_the_counts_of_the_rail_come_with_the_stream(world: World) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        await following(world, stream)
        world.ready = "8"
        assert await following(world, stream) == 'event: live:nav\ndata: {"queues": ["8", false]}\n\n'


async def test_a_stream_in_a_lens_tells_of_its_tenant_alone(world: World) -> None:
    async with aclosing(world.open(tenant_id=UUID(int=1))) as stream:
        await anext(stream)
        await following(world, stream)
        world.topics["jobs"], world.ready = "2", "9"
        assert await following(world, stream) == ""
        world.theirs["jobs"] = "2"
        assert await following(world, stream) == "event: live:jobs\ndata: \n\n"


async def test_a_beat_comes_every_few_seconds(world: World) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        said = [await following(world, stream) for _ in range(11)]
    assert [each for each, text in enumerate(said) if "live:beat" in text] == [0, 5, 10]
    assert BEAT_EVERY_SECONDS < 10


async def test_what_changed_between_the_page_and_its_stream_is_told_at_once(world: World) -> None:
    shown = topics(figures_of({"jobs": "0", "queues": "1"}))
    async with aclosing(world.open(shown)) as stream:
        await anext(stream)
        said = await following(world, stream)
    assert "event: live:jobs" in said
    assert "live:queues" not in said


async def test_the_address_of_the_stream_says_what_the_page_shows(world: World) -> None:
    figures = world.sample(cast(AnyConnection, None), now=None)
    before = world.live.address(figures)
    assert before.startswith("/live?jobs=")
    assert world.live.address(figures) == before
    world.topics["jobs"] = "2"
    assert world.live.address(figures) != before
    assert world.live.address(None) == "/live"


async def test_a_stream_ends_with_its_session(world: World, conn: Connection) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        await following(world, stream)
        conn.execute(delete(operator_sessions))
        with pytest.raises(StopAsyncIteration):
            await following(world, stream)
    assert world.live.watching(world.operator) == 0


async def test_a_stream_ends_when_its_operator_is_disabled(world: World, conn: Connection) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        await following(world, stream)
        conn.execute(text("UPDATE control.operators SET disabled_at = now()"))
        with pytest.raises(StopAsyncIteration):
            await following(world, stream)


async def test_a_stream_ends_when_it_is_old(world: World) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        await following(world, stream, MAX_AGE_SECONDS)
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_every_stream_ends_when_the_console_stops(world: World) -> None:
    streams = [world.open() for _ in range(3)]
    for stream in streams:
        await anext(stream)
    waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
    await asyncio.sleep(0)
    world.live.close()
    await asyncio.wait_for(asyncio.gather(*waiting), 5)
    for stream in streams:
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_an_outage_is_told_at_each_beat_and_the_stream_goes_on_after_it(world: World) -> None:
    async with aclosing(world.open()) as stream:
        await anext(stream)
        await following(world, stream)
        whole, world.live._engine = (
            world.live._engine,
            connect("postgresql+psycopg://x@127.0.0.1:1/x", application_name="x"),
        )
        said = [await following(world, stream, 3) for _ in range(4)]
        assert {each for each in said if each} == {"event: live:lost\ndata:\n\n"}
        world.live._engine = whole
        world.topics["queues"] = "2"
        back = await following(world, stream, 5)
        assert "live:beat" in back
        assert "live:queues" in back


async def test_a_database_that_does_not_answer_at_all_is_told_before_it_does(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.live.PATIENCE_SECONDS", 0.02)
    answered = Event()
    monkeypatch.setattr(world.live, "look", lambda: answered.wait(30) and None)
    async with aclosing(world.open()) as stream:
        await anext(stream)
        looking = asyncio.ensure_future(world.live.run())
        try:
            assert await asyncio.wait_for(anext(stream), 30) == "event: live:lost\ndata:\n\n"
        finally:
            answered.set()
            world.live.close()
            await looking


async def test_nothing_is_read_while_nobody_watches(world: World) -> None:
    async with running(world.live):
        for _ in range(10):
            await asyncio.sleep(0)
        assert world.readings == 0
        async with aclosing(world.open()) as stream:
            await anext(stream)
            assert "live:beat" in await asyncio.wait_for(anext(stream), 10)
        assert world.readings == 1
    assert world.live.watching(world.operator) == 0


async def test_many_watchers_cost_what_one_does_and_hold_no_connection(world: World, engine: Engine) -> None:
    streams = [world.open() for _ in range(200)]
    for stream in streams:
        await anext(stream)
    waiting = [asyncio.ensure_future(anext(stream)) for stream in streams]
    await asyncio.sleep(0)
    await world.look()
    said = await asyncio.wait_for(asyncio.gather(*waiting), 10)
    assert all("live:beat" in each for each in said)
    assert world.readings == 1
    assert cast(Any, engine.pool).checkedout() <= 1  # the test's own
    for stream in streams:
        await stream.aclose()
    assert world.live._tokens == {}


@asynccontextmanager
async def running(live: Live) -> AsyncIterator[None]:
    task = asyncio.create_task(live.run())
    try:
        yield
    finally:
        task.cancel()


def test_a_browser_hears_of_a_new_job(app: Starlette, conn: Connection) -> None:
    with browser(app, signed_in(conn)) as client:
        page = client.get("/account").text
        address = page.partition('hx-sse:connect="')[2].partition('"')[0].replace("&amp;", "&")
        with client.stream("GET", address, headers={"HX-Request": "true"}) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert "content-encoding" not in answer.headers
            lines = answer.iter_lines()
            assert next(line for line in lines if line.startswith("event")) == "event: live:beat"
            factories.job(conn)
            assert next(line for line in lines if line == "event: live:jobs")


def test_an_operator_has_so_many_streams_and_no_more(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    live = app.state.console.live
    found = by_name(conn, name="dana")
    assert found
    live._operators[found.id] = app.state.console.settings.streams_per_operator
    answer = client.get("/live")
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "60"
    live._operators[found.id] -= 1
    assert client.head("/live").status_code == 200
