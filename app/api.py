"""The API: what programs may ask below /admin and /api, and at /metrics, with a token that names its scopes.

A handler is called in a thread, once the token was looked at and the whole body lies in a file. What it needs of the
body it reads first, and then opens its one transaction on `call.engine`, which only reads where the route does. When
that met a deadlock, the handler is called again, with the body from its start:

    def create(call: ApiCall) -> Response:
        asked = call.read(NewTenant)            # a `Body`; what it is not is answered with 400 or 422
        with call.engine.begin() as conn:       # or: with tenant_uow(call.engine, tenant_id=call.tenant) as conn
            ...                                 # NotFound, Conflict, Refused(status, "…") roll it back
        return Document({"id": tenant_id}, 201)

    ApiRoute("POST", "/admin/tenants", create, "tenants:write", Tenant, body=NewTenant, statuses=(201, 200))

What the pages do is done as they do it, below /api/v1: in one transaction that the frame opens (`in_transaction`), by
a handler that takes it beside the call, and by the same transitions; the scope is the page's role:

    @in_transaction
    def index(call: ApiCall, conn: Connection) -> Response:
        asked = call.wanted(JobsWanted)         # the parameters; what they are not is answered with 422
        return Document(JobPage(...))           # a `Shape`

The docstring of a handler is its summary in the document of the API (`app.openapi`), which is made of the table.

InvalidInput is answered with 422, UnknownTenant with 404, TenantNotReady and KeyReused with 409. Where more is sent
than a small document, the route says how much and of which types, and the handler reads the binary file `call.body`:

    ApiRoute("POST", "/admin/tenants/{tenant}/datasets", create, "datasets:write", Dataset,
             max_body_bytes=64 * 1024 * 1024, media_types=("text/csv", "application/x-ndjson"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial, wraps
from typing import IO, Literal
from uuid import UUID

import anyio.to_thread
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from app import bearer, bodies, etags
from app.asked import Asked, noun
from app.bodies import Model
from app.console import console_of
from app.problems import is_api
from app.shapes import Wanted
from app.web import SAFE, answered
from worker.database import Connection, Engine, read_only
from worker.queries.audit import Actor
from worker.queries.tokens import SCOPES, Scope, Token

MAX_BODY_BYTES = 64 * 1024
JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class ApiCall(Asked):
    """Everything a handler may know of a program's request."""

    route: ApiRoute
    token: Token
    body: IO[bytes]
    engine: Engine

    @property
    def actor(self) -> Actor:
        """Who the audit trail names for what this request does: `token:NAME`."""
        return bearer.actor(self.request, self.token)

    @property
    def tenant(self) -> UUID:
        """The tenant of the path."""
        return self.uuid("tenant")

    def read(self, model: type[Model]) -> Model:
        """The body as the kind of document that the table says."""
        assert model is self.route.body
        return bodies.read(self.body, model)

    def wanted(self, model: type[Model]) -> Model:
        """The parameters of the address as the table says."""
        assert model is self.route.query
        return bodies.parameters(self.query, model)


ApiHandler = Callable[[ApiCall], Response]


@dataclass(frozen=True)
class ApiRoute:
    """One line of the API's table; nothing is served that does not say which scope it takes and what it answers."""

    method: Literal["GET", "POST"]
    path: str
    handler: ApiHandler
    scope: Scope
    answer: type[BaseModel] | str
    """The model of its answer, or the media type of one that is no JSON."""
    query: type[BaseModel] = Wanted
    """The parameters of its address; what is none of them is refused."""
    body: type[BaseModel] | None = None
    statuses: tuple[int, ...] = (200,)
    """Those of its answers; what a refusal may have follows from the rest."""
    max_body_bytes: int = MAX_BODY_BYTES
    media_types: tuple[str, ...] = (JSON,)
    seals: bool = False
    """Whether it keeps a secret: then a key service is asked before the transaction begins, not within it."""
    keyed: bool = False
    """Whether a repeat under the same Idempotency-Key finds what the first one made."""
    looks: bool = False
    """Whether a POST, too, only looks: what it asks does not fit into an address."""

    def __post_init__(self) -> None:
        if self.scope not in SCOPES or not is_api(self.path):
            raise ValueError(
                f"{self.method} {self.path}: say which scope it takes, below an API's prefix, not {self.scope!r}"
            )

    @property
    def noun(self) -> str:
        """What the route is about, for the audit trail."""
        return noun(self.path)

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET" or self.looks


def in_transaction(handler: Callable[[ApiCall, Connection], Response]) -> ApiHandler:
    """The handler as a page's: in one transaction of the pages' own role, with the last figures."""

    @wraps(handler)
    def handled(call: ApiCall) -> Response:
        console = console_of(call.request)
        reads = call.route.reads
        if call.route.seals:
            console.deployment.prepare_to_seal()
        with (read_only(console.engine) if reads else console.engine).begin() as conn:
            sampled = console.sampler.figures(conn, fresh=reads)
            return handler(replace(call, sampled=sampled), conn)

    return handled


def api_endpoint(*routes: ApiRoute) -> Callable[[Request], Awaitable[Response]]:
    """The routes of one address as Starlette calls them."""
    by_method: dict[str, ApiRoute] = {route.method: route for route in routes}

    async def respond(request: Request) -> Response:
        console = console_of(request)
        route = by_method["GET" if request.method in SAFE else request.method]
        admit = partial(bearer.admit, console, request, scope=route.scope, noun=route.noun)
        token, now = await anyio.to_thread.run_sync(answered, admit)
        async with bodies.received(request, max_bytes=route.max_body_bytes, media_types=route.media_types) as body:
            call = _call(request, route, token=token, now=now, body=body)
            response = await anyio.to_thread.run_sync(answered, partial(_handled, call))
        if not route.reads:
            console.sampler.expire()
            console.live.doubt()
        return etags.known(request, response) if route.method == "GET" else response

    return respond


def _call(request: Request, route: ApiRoute, *, token: Token, now: datetime, body: IO[bytes]) -> ApiCall:
    console = console_of(request)
    return ApiCall(
        request=request,
        now=now,
        registry=console.registry,
        settings=console.settings,
        route=route,
        token=token,
        body=body,
        engine=read_only(console.work_engine) if route.reads else console.work_engine,
    )


def _handled(call: ApiCall) -> Response:
    bodies.require_known(call.query, call.route.query)
    call.body.seek(0)
    return call.route.handler(call)
