"""The stream that tells each browser which regions changed; one look at the database a second serves them all."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

import anyio.to_thread
import structlog

from app.sampler import Sampler
from worker.database import Engine, autocommit
from worker.queries import sessions
from worker.queries.operators import Operator
from worker.queries.sessions import Visit

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

LOOK_EVERY_SECONDS = 1.0
BEAT_EVERY_SECONDS = 5.0
PATIENCE_SECONDS = 3.0
"""A look that takes longer may take for ever: the server may be gone without a word."""
NAV = "nav"
MAX_AGE_SECONDS = 3600.0
KNOWN_SECONDS = 3.0
"""For how long a look says who watches: a session that ended since is refused at the next."""

log = structlog.get_logger()


class Live:
    """Who watches, and what there is to tell them; nothing is read while nobody does."""

    def __init__(
        self,
        engine: Engine,
        sampler: Sampler,
        *,
        now: datetime | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.closing = False
        self._engine = autocommit(engine)
        self._sampler = sampler
        self._now = now
        self._clock = clock
        self._operators: Counter[UUID] = Counter()
        self._tokens: Counter[str] = Counter()
        self._lenses: Counter[UUID | None] = Counter()
        self._roll: sessions.Roll | None = None
        self._looked_at = clock()
        self._ended: frozenset[str] = frozenset()
        self._joined = asyncio.Event()
        self._news = asyncio.Event()

    def watching(self, operator: Operator) -> int:
        """How many streams the operator has open in this process."""
        return self._operators[operator.id]

    def visit(self, token_hash: str | None) -> Visit | None:
        """Whose open stream it is, as the last look found; None where that has to be asked, or is to be noted."""
        if not token_hash or self._roll is None or self._clock() - self._looked_at > KNOWN_SECONDS:
            return None
        found = self._roll.standing.get(token_hash) if token_hash in self._tokens else None
        return None if found is None or found.touch_due else found

    def doubt(self) -> None:
        """Something was done here that may have ended a session: until the next look, whoever asks is looked up."""
        self._looked_at = -math.inf

    def address(self, figures: Figures | None) -> str:
        """Where a page listens on: the address says what the page shows, so nothing in between is missed."""
        return "/live?" + urlencode(topics(figures)) if figures else "/live"

    async def run(self) -> None:
        """Look once a second while somebody watches; they are told when the database does not answer."""
        while not self.closing:
            await self._joined.wait()
            await self._looked()
            self._announce()
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    async def _looked(self) -> None:
        """One look, whose answer is not waited for in silence."""
        looking = asyncio.ensure_future(anyio.to_thread.run_sync(self.look))
        answered, _ = await asyncio.wait([looking], timeout=PATIENCE_SECONDS)
        if not answered:
            self._roll = None
            self._announce()
        self._roll = await looking

    def look(self) -> sessions.Roll | None:
        """Who may go on watching and what there is to see; None where the database does not answer."""
        asked, self._looked_at = frozenset(self._tokens), self._clock()
        try:
            with self._engine.connect() as conn:
                roll = sessions.roll(conn, token_hashes=asked, now=self._now)
                figures = self._sampler.figures(conn, fresh=True)
                for tenant_id in list(self._lenses):
                    if tenant_id:
                        self._sampler.of_tenant(conn, figures, tenant_id=tenant_id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the streams outlive it and the next look may work
            log.warning("live.look_failed", error=type(error).__name__)
            return None
        self._ended = asked - roll.standing.keys()
        return roll

    async def stream(
        self, operator: Operator, token_hash: str, seen: Mapping[str, str], *, tenant_id: UUID | None = None
    ) -> AsyncIterator[str]:
        """Events until the session ends, the console stops, or the stream is old enough to be opened anew.

        Those of a tenant, where it is named: no other's work makes a page in its lens draw anew.
        """
        until = self._clock() + MAX_AGE_SECONDS
        shown, beat_at = dict(seen), self._clock()
        self._join(operator, token_hash, tenant_id)
        try:
            yield ": watching\n\n"
            while not self.closing and self._clock() < until:
                await self._news.wait()
                if token_hash in self._ended:
                    return
                beat = self._clock() >= beat_at
                beat_at = self._clock() + BEAT_EVERY_SECONDS if beat else beat_at
                yield self._events(shown, self._sampler.last_of(tenant_id), beat=beat)
        finally:
            self._leave(operator, token_hash, tenant_id)

    def close(self) -> None:
        """End every stream, so that the server can stop."""
        self.closing = True
        self._announce()

    def _events(self, shown: dict[str, str], figures: Figures | None, *, beat: bool) -> str:
        if self._roll is None:
            return "event: live:lost\ndata:\n\n" if beat else ""
        text = f"event: live:beat\ndata: {self._roll.now.isoformat()}\n\n" if beat else ""
        for topic, digest in topics(figures).items():
            if figures and shown.get(topic, digest) != digest:
                # The rail's counts come with the news, so that no page has to ask for them
                text += f"event: live:{topic}\ndata: {counts(figures) if topic == NAV else ''}\n\n"
            shown[topic] = digest
        return text

    def _announce(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _join(self, operator: Operator, token_hash: str, tenant_id: UUID | None) -> None:
        self._operators[operator.id] += 1
        self._tokens[token_hash] += 1
        self._lenses[tenant_id] += 1
        self._joined.set()

    def _leave(self, operator: Operator, token_hash: str, tenant_id: UUID | None) -> None:
        self._operators -= Counter([operator.id])
        self._tokens -= Counter([token_hash])
        self._lenses -= Counter([tenant_id])
        if not self._tokens:
            self._joined.clear()


def topics(figures: Figures | None) -> dict[str, str]:
    """What there is to watch, each with a short mark that changes when it does."""
    if figures is None:
        return {}
    return {topic: _mark(digest) for topic, digest in {**figures.topics(), NAV: counts(figures)}.items()}


def counts(figures: Figures) -> str:
    """What stands beside the names in the rail, and whether it needs a person."""
    return json.dumps({item.key: [item.count, item.alarm] for item in figures.nav()})


def _mark(digest: str) -> str:
    return hashlib.blake2s(digest.encode(), digest_size=4).hexdigest()
