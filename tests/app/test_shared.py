"""Three hundred open pages cost the database what one does, and nobody is told what is another's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, contextmanager
from datetime import timedelta
from typing import Any

import anyio.to_thread
import pytest
from httpx2 import ASGITransport, AsyncClient, Response
from sqlalchemy import Connection, Engine, delete, event
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.responses import Response as Answer

from app import sessions
from app.sampler import Sampler
from app.shared import Anyone, Personal, Shared
from tests import factories
from tests.app.conftest import signed_in
from tests.app.test_sampler import CONN, Clock, Source, part
from worker.model import Status
from worker.queries import groups
from worker.queries.audit import Actor
from worker.queries.operators import Operator, by_name
from worker.queries.schema import operator_sessions
from worker.queries.workers import request_drain

pytestmark = pytest.mark.anyio

REGIONS = ("div#troubles", "section#present", "section#matrix")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Room:
    """Browsers that each have a page of workers open, with its stream."""

    def __init__(self, app: Starlette, conn: Connection, engine: Engine) -> None:
        self.console, self._clock = app.state.console, Clock()
        self.console.sampler._clock = self.console.live._clock = self._clock
        self._app, self._conn, self._engine = app, conn, engine
        self._streams = AsyncExitStack()
        self.tokens: list[str] = []

    async def enter(self, name: str, role: str = "operator", *, pages: int = 1) -> str:
        """Somebody with so many pages open."""
        token = signed_in(self._conn, name, role)
        found = by_name(self._conn, name=name)
        assert found
        for _ in range(pages):
            who = Operator(found.id, found.name, found.role)
            stream = self.console.live.stream(who, sessions.digest(token), {})
            await anext(await self._streams.enter_async_context(aclosing(stream)))
            self.tokens.append(token)
        return token

    async def look(self) -> None:
        """What the console does again and again."""
        self._clock.at += 100
        self.console.live._roll = await anyio.to_thread.run_sync(self.console.live.look)

    async def fetch(self, tokens: Sequence[str], *regions: str, path: str = "/workers") -> list[Response]:
        """Each of these pages asks for the regions, all at once."""
        async with AsyncClient(transport=ASGITransport(self._app), base_url="http://localhost") as client:
            asked = [client.get(path, headers=_headers(token, region)) for token in tokens for region in regions]
            return await asyncio.gather(*asked)

    async def leave(self) -> None:
        await self._streams.aclose()

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """The statements that the console's database gets meanwhile."""
        seen: list[str] = []

        def note(_conn: Any, _cursor: Any, statement: str, *_more: Any) -> None:
            seen.append(statement)

        event.listen(self._engine, "before_cursor_execute", note)
        try:
            yield seen
        finally:
            event.remove(self._engine, "before_cursor_execute", note)


def _headers(token: str, region: str) -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": region, "Cookie": f"{sessions.COOKIE}={token}"}


@pytest.fixture
async def room(app: Starlette, conn: Connection, console_rw: Engine) -> AsyncIterator[Room]:
    opened = Room(app, conn, console_rw)
    yield opened
    await opened.leave()


async def a_round(room: Room, asked: dict[str, Sequence[str]]) -> list[str]:
    """The statements of one second in which something changed that all these pages show."""
    with room.counted() as seen:
        await room.look()
        for region, tokens in asked.items():
            assert {each.status_code for each in await room.fetch(tokens, region)} == {200}
    return seen


async def test_three_hundred_pages_cost_the_database_what_one_does(room: Room, conn: Connection) -> None:
    factories.worker_instance(conn)
    for number in range(15):
        await room.enter(f"operator {number}", pages=20)
    assert len(room.tokens) == 300
    alone = await a_round(room, dict.fromkeys(REGIONS, room.tokens[:1]))
    together = await a_round(room, {region: room.tokens[place::3] for place, region in enumerate(REGIONS)})
    assert sorted(together) == sorted(alone)


async def test_each_lens_has_its_own(room: Room, conn: Connection) -> None:
    for slug in ("acme", "globex"):
        factories.job(conn, tenant_id=factories.tenant(conn, slug), job_type=f"report_of_{slug}")
    token = await room.enter("dana")
    await room.look()
    for slug, other in (("acme", "globex"), ("globex", "acme")):
        (answer,) = await room.fetch([token], "div#rows", path=f"/in/{slug}/jobs")
        assert [f"report_of_{each}" in answer.text for each in (slug, other)] == [True, False]
    (everybodys,) = await room.fetch([token], "div#rows", path="/jobs")
    assert [f"report_of_{each}" in everybodys.text for each in ("acme", "globex")] == [True, True]


async def test_many_pages_in_some_lenses_cost_what_one_in_each_does(room: Room, conn: Connection) -> None:
    paths = [f"/in/tenant-{number}/workers" for number in range(5)]
    for number in range(5):
        factories.tenant(conn, f"tenant-{number}")
    token = await room.enter("dana", pages=5)

    async def read(pages: int) -> list[str]:
        with room.counted() as seen:
            await room.look()
            for path in paths:
                answers = await room.fetch([token] * pages, "div#troubles", path=path)
                assert {each.status_code for each in answers} == {200}
        return seen

    alone = await read(1)
    assert sorted(await read(20)) == sorted(alone)


async def test_each_role_sees_what_it_may(room: Room, conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=(await _now(room)) - timedelta(seconds=1))
    tokens = [await room.enter("dana"), await room.enter("vera", "viewer")]
    await room.look()
    hers, theirs = await room.fetch(tokens, "section#present")
    assert "/drain" in hers.text
    assert "/drain" not in theirs.text


async def test_what_is_done_here_is_seen_at_once(room: Room, conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=(await _now(room)) - timedelta(seconds=1))
    token = await room.enter("dana")
    await room.look()
    (before,) = await room.fetch([token], "section#present")
    request_drain(conn, instance_id="worker-1", actor=Actor("mira"))
    (shared,) = await room.fetch([token], "section#present")
    assert shared.text == before.text
    room.console.sampler.expire()
    (after,) = await room.fetch([token], "section#present")
    assert "draining" in after.text


async def test_who_was_signed_out_is_told_no_more(room: Room, conn: Connection) -> None:
    tokens = [await room.enter("dana"), await room.enter("mira")]
    await room.look()
    conn.execute(delete(operator_sessions).where(operator_sessions.c.token_hash == sessions.digest(tokens[1])))
    await room.look()
    answers = await room.fetch(tokens, "section#present")
    assert [each.status_code for each in answers] == [200, 401]


async def test_after_anything_was_done_here_a_session_is_looked_up(room: Room, conn: Connection) -> None:
    token = await room.enter("dana")
    await room.look()
    conn.execute(delete(operator_sessions))
    (before,) = await room.fetch([token], "section#present")
    room.console.live.doubt()
    (after,) = await room.fetch([token], "section#present")
    assert (before.status_code, after.status_code) == (200, 401)


async def _now(room: Room) -> Any:
    await room.enter("clock")
    await room.look()
    return room.console.live._roll.now


@pytest.mark.parametrize(
    "path", ["/", "/queues", "/queues/mail", "/jobs", "/workers/worker-1", "/tenants", "/acts", "/audit"]
)
async def test_each_region_of_a_page_is_made_once_for_a_role(room: Room, conn: Connection, path: str) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail")
    factories.job(conn, status=Status.FAILED, queue="mail")
    tokens = [await room.enter("dana"), await room.enter("mira")]
    await room.look()
    (page,) = await room.fetch(tokens[:1], "", path=path)
    regions = re.findall(r'id="([a-z-]+)" data-region\s+hx-get="([^"]+)"', page.text)
    assert regions
    for name, address in regions:
        (hers,) = await room.fetch(tokens[:1], f"div#{name}", path=address)
        with room.counted() as seen:
            (theirs,) = await room.fetch(tokens[1:], f"div#{name}", path=address)
        assert seen == []
        assert theirs.text == hers.text
        assert f'id="{name}"' in hers.text


async def test_what_depends_on_who_asks_is_made_for_each(room: Room, conn: Connection) -> None:
    tokens = [await room.enter("dana"), await room.enter("mira")]
    for number, name in enumerate(("dana", "mira")):
        fingerprint = f"{number:016}"
        factories.job(conn, status=Status.FAILED, error_fingerprint=fingerprint, error_type=f"Of{name}")
        groups.take(conn, fingerprint=fingerprint, actor=Actor(name), seen_with=None)
    await room.look()
    hers, theirs = await room.fetch(tokens, "div#letters", path="/dead-letters?view=mine")
    assert "Ofdana" in hers.text
    assert "Ofmira" not in hers.text
    assert "Ofmira" in theirs.text
    with room.counted() as seen:
        await room.fetch(tokens, "div#letters", path="/dead-letters?view=mine")
    assert [each for each in seen if "dead_letter_groups" in each] == []


def test_what_is_made_for_anyone_knows_no_name() -> None:
    anyone = Anyone("operator")
    assert anyone.may("viewer")
    assert not anyone.may("admin")
    for secret in ("name", "id"):
        with pytest.raises(Personal):
            getattr(anyone, secret)


class Kitchen:
    """Makes answers when it is told to, of the figures there are."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.sampler = Sampler(Source(self.clock), narrow=part, clock=self.clock)
        self.sampler.figures(CONN, fresh=True)
        self.shared = Shared(self.sampler)
        self.made = 0

    def order(self, path: str = "/", *, reads: bool = True, ready: asyncio.Event | None = None) -> asyncio.Task[Answer]:
        """Ask for the answer at an address."""
        request = Request({"type": "http", "state": {}})

        async def make() -> Answer:
            self.made += 1
            number = self.made
            if reads:
                request.state.figures = self.sampler.figures(CONN, fresh=True)
            if ready:
                await ready.wait()
            return HTMLResponse(str(number))

        return asyncio.ensure_future(self.shared.answer(("viewer", path, "#x"), request, make))


async def begun() -> None:
    """Once what was asked for is in the making."""
    for _ in range(3):
        await asyncio.sleep(0)


async def test_who_asks_while_nothing_was_read_gets_the_answer_in_the_making() -> None:
    kitchen, ready = Kitchen(), asyncio.Event()
    orders = [kitchen.order(reads=False, ready=ready) for _ in range(3)]
    await begun()
    ready.set()
    assert [each.body for each in await asyncio.gather(*orders)] == [b"1"] * 3


async def test_an_answer_read_before_the_news_is_not_given_to_who_heard_them() -> None:
    kitchen, ready = Kitchen(), asyncio.Event()
    early = kitchen.order(ready=ready)
    await begun()
    kitchen.sampler.expire()
    late = kitchen.order()
    await begun()
    ready.set()
    assert (await late).body == b"2"
    await early
    assert kitchen.made == 2


async def test_an_answer_lasts_as_long_as_its_figures() -> None:
    kitchen = Kitchen()
    assert (await kitchen.order()).body == (await kitchen.order()).body == b"1"
    kitchen.clock.at += 60
    assert (await kitchen.order()).body == b"2"


async def test_the_overviews_of_fifty_lenses_are_made_once() -> None:
    kitchen = Kitchen()
    asked = [f"/in/{lens}/ {region}" for lens in range(50) for region in range(6)]
    for _ in range(2):
        await asyncio.gather(*(kitchen.order(path) for path in asked))
    assert kitchen.made == len(asked)
