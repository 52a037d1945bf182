"""Regions that everybody of a role sees alike: three hundred open pages ask for one, and it is made once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from app.sampler import Sampler
from worker.queries.operators import Operator, Role

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

KEPT = 512
"""So many answers are kept at most: anybody may ask for anything."""

Key = tuple[str, str, str]
"""For whom, what address, and which of its regions."""


class Personal(Exception):
    """What is asked for depends on who asks, and so is made for each of them."""


class Anyone(Operator):
    """Somebody of a role: what is made for all of them can know nothing else of who asks."""

    __slots__ = ()

    def __init__(self, role: Role) -> None:
        object.__setattr__(self, "role", role)

    @property
    def id(self) -> UUID:
        """Nobody's."""
        raise Personal

    @property
    def name(self) -> str:
        """Nobody's."""
        raise Personal


@dataclass(frozen=True, slots=True)
class Making:
    """An answer that is made or being made, for whoever asked first."""

    request: Request
    answer: asyncio.Future[Response]

    @property
    def figures(self) -> Figures | None:
        """The figures it was made of; None as long as nothing was read for it."""
        return getattr(self.request.state, "figures", None)


class Shared:
    """The answers made of the last figures; they go with these, and when somebody changes something here."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._made: dict[Key, Making] = {}

    async def answer(self, key: Key, request: Request, make: Callable[[], Coroutine[Any, Any, Response]]) -> Response:
        """What others of the role got or are getting, or else an answer made now."""
        made = self._made.get(key)
        if made is None or not self._holds(made):
            self._forget()
            made = self._made[key] = Making(request, asyncio.ensure_future(make()))
        return _copy(await asyncio.shield(made.answer))  # whoever asked first may go away: others wait for it

    def _holds(self, made: Making) -> bool:
        """Whether nothing that it says can have changed since it was read."""
        if made.answer.done() and (made.answer.cancelled() or made.answer.exception()):
            return False
        if made.figures is None:
            return not made.answer.done()
        return made.figures is self._sampler.last and not self._sampler.due()

    def _forget(self) -> None:
        self._made = {key: made for key, made in list(self._made.items())[-KEPT + 1 :] if self._holds(made)}


def _copy(answer: Response) -> Response:
    """An answer of one's own, for headers are put on each."""
    return Response(answer.body, answer.status_code, dict(answer.headers))
