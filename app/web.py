"""One HTTP action: the form is read, then the handler runs in one thread hop, inside one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, get_args
from urllib.parse import unquote

import anyio.to_thread
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app import refusals, sessions
from app.asked import Asked, noun
from app.console import Console, console_of
from app.errors import Forbidden, NotFound, SignedOut, Unavailable
from app.forms import read_form
from app.lens import Lens, look, slug_of
from app.shared import Anyone, Personal
from app.templating import is_htmx
from worker.database import Connection, is_outage, is_retryable, read_only
from worker.queries.audit import Actor
from worker.queries.operators import Operator, Role
from worker.queries.sessions import Visit

if TYPE_CHECKING:
    from worker.queries.pages.figures import Figures

Answer = TypeVar("Answer")

SAFE = frozenset({"GET", "HEAD"})
TRIES = 3


@dataclass(frozen=True, kw_only=True)
class Call(Asked):
    """Everything a page handler may know of its request."""

    operator: Operator | None
    form: FormData

    @property
    def htmx(self) -> bool:
        """Whether htmx asks, so that a block may be enough."""
        return is_htmx(self.request)

    @property
    def region(self) -> str | None:
        """The id of the element that the answer replaces: `rows` of `section#rows`."""
        target = self.request.headers.get("hx-target", "") if self.htmx else ""
        return unquote(target.partition("#")[2]) or None

    @property
    def whole(self) -> Figures:
        """The last sample of all tenants, in the lens of one, too: whoever waits stands in line with all of them."""
        figures: Figures = self.request.state.figures
        return figures

    @property
    def actor(self) -> Actor:
        """Who the audit trail names for what this request does."""
        return sessions.actor(self.request, self.operator)


Handler = Callable[[Call, Connection], Response]
Access = Literal["anyone", Role]


@dataclass(frozen=True)
class Route:
    """One line of the route table; nothing is served that does not say to whom."""

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    access: Access
    hashes_passwords: bool = False
    alike: bool = False
    """Whether its live regions show everybody of a role the same, so that one answer does for all who watch."""
    seals: bool = False
    """Whether it keeps a secret: then a key service is asked before the transaction begins, not within it."""
    narrowed: bool = False
    """Whether in a lens it shows and moves what is the one tenant's alone; else it says there that it does not."""

    def __post_init__(self) -> None:
        if self.access not in ("anyone", *get_args(Role)):
            raise ValueError(f"{self.method} {self.path}: say who may, not {self.access!r}")

    @property
    def noun(self) -> str:
        """What the route is about, for the audit trail."""
        return noun(self.path)


def endpoint(*routes: Route) -> Callable[[Request], Awaitable[Response]]:
    """The routes of one address as Starlette calls them; those that hash passwords run few at a time."""
    by_method: dict[str, Route] = {route.method: route for route in routes}

    async def respond(request: Request) -> Response:
        console = console_of(request)
        safe = request.method in SAFE
        route = by_method["GET" if safe else request.method]
        if safe and (visit := _watching(console, request, route)):
            return await _shared(console, request, route, visit)
        form = FormData() if safe else await read_form(request)
        limiter = console.password_limiter if route.hashes_passwords else None
        work = partial(_permitted, request, form, route)
        return await anyio.to_thread.run_sync(answered, work, limiter=limiter)

    return respond


def _watching(console: Console, request: Request, route: Route) -> Visit | None:
    """Who asks for a live region that others may have asked for, known without asking the database."""
    if not (route.alike and is_htmx(request) and request.headers.get("hx-target")):
        return None
    visit = console.live.visit(sessions.token_hash(request))
    may = visit and visit.operator and (route.access == "anyone" or visit.operator.may(route.access))
    return visit if may else None


async def _shared(console: Console, request: Request, route: Route, visit: Visit) -> Response:
    """The region as it was made, or is made now, for nobody in particular; or for all pages of this one operator."""
    assert visit.operator
    anyone = replace(visit, operator=Anyone(visit.operator.role))
    try:
        return await _made(console, request, route, anyone, whose=visit.operator.role)
    except Personal:
        return await _made(console, request, route, visit, whose=str(visit.operator.id))


async def _made(console: Console, request: Request, route: Route, visit: Visit, *, whose: str) -> Response:
    path = request.scope.get("root_path", "") + request.scope["path"]
    key = (whose, f"{path}?{request.url.query}", request.headers["hx-target"])
    work = partial(_permitted, request, FormData(), route, visit)
    return await console.shared.answer(key, request, partial(anyio.to_thread.run_sync, answered, work))


def answered(work: Callable[[], Answer], *, attempt: int = 1) -> Answer:
    """What the work comes to: tried again after a deadlock, and in other words where the database is out of reach."""
    try:
        return work()
    except Exception as error:
        if is_retryable(error) and attempt < TRIES:
            return answered(work, attempt=attempt + 1)
        if is_outage(error):
            raise Unavailable(headers={"Retry-After": "5"}) from error
        raise


def _permitted(request: Request, form: FormData, route: Route, known: Visit | None = None) -> Response:
    """The handler's answer; a refusal leaves a row, though all else is rolled back (A-81)."""
    if route.seals:
        console_of(request).deployment.prepare_to_seal()
    try:
        return _transaction(request, form, route, known)
    except Forbidden as refusal:
        refusals.record(console_of(request), request, action=route.noun, reason=refusal.message)
        raise


def _transaction(request: Request, form: FormData, route: Route, known: Visit | None) -> Response:
    console = console_of(request)
    safe = request.method in SAFE
    with (read_only(console.engine) if safe else console.engine).begin() as conn:
        visit = request.state.visit = known or sessions.recognise(conn, request)
        lens = request.state.lens = _looked_through(conn, request) if visit.operator else None
        sampled = console.sampler.figures(conn, fresh=safe) if visit.operator else None
        request.state.figures = shown = sampled
        if lens and sampled:
            shown = console.sampler.of_tenant(conn, sampled, tenant_id=lens.id)
        _admit(visit.operator, route.access)  # now, so that the page that refuses is in the lens, too
        request.state.narrowed = route.narrowed
        call = Call(
            request=request,
            now=visit.now,
            registry=console.registry,
            settings=console.settings,
            sampled=shown if route.narrowed else sampled,
            operator=visit.operator,
            form=form,
            lens=lens,
        )
        response = route.handler(call, conn)
    if not safe:
        console.sampler.expire()
        console.live.doubt()
    elif visit.touch_due:
        sessions.touch(console, visit)
    return response


def _looked_through(conn: Connection, request: Request) -> Lens | None:
    """The tenant whose lens it is; the answer of what is not found where there is none."""
    lens = look(conn, request)
    if lens is None and (slug := slug_of(request)):
        raise NotFound(f"There is no tenant {slug}.", title="No such tenant")
    return lens


def _admit(operator: Operator | None, access: Access) -> None:
    if access == "anyone":
        return
    if operator is None:
        raise SignedOut
    if not operator.may(access):
        raise Forbidden(f"You are signed in as {operator.role}; this needs {access}.")
