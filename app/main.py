"""The composition root: every part of the console is built here, once, and handed to those who need it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime

from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.gzip import GZipMiddleware
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app import errors, passwords, routes, templating, tracing
from app.assets import Assets
from app.console import Console
from app.forms import MAX_BODY_BYTES
from app.lens import Lenses
from app.live import Live
from app.metrics.exposition import Exposition
from app.middleware import Door, RequestId, SecurityHeaders
from app.oidc.opening import open_provider
from app.passwords import Passwords
from app.sampler import Sample, Sampler
from app.settings import ConsoleSettings
from app.shared import Shared
from worker import topology
from worker.database import Engine, connect, is_file
from worker.deployment import Deployment
from worker.handlers import Registry, configured
from worker.queries.pages.figures import sample
from worker.queries.pages.looks import look
from worker.queries.pages.tenant_figures import of_tenant
from worker.runtime.local import local_worker
from worker.runtime.maintenance import Maintenance
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings


def create_app(
    settings: ConsoleSettings,
    *,
    engine: Engine | None = None,
    work_engine: Engine | None = None,
    registry: Registry | None = None,
    now: datetime | None = None,
    figures: Sample = sample,
) -> Starlette:
    """The console as an ASGI application; `now` holds its clock still.

    An engine that is given is for the work too, unless there is another for that.
    """
    topology.require_shareable(settings, starts="the console")
    ours = [] if engine else _engines(settings)
    pages, work = (engine, work_engine or engine) if engine else (ours[0], ours[1])
    assets = Assets()
    sampler = Sampler(figures, narrow=of_tenant, now=now)
    console = Console(
        settings=settings,
        deployment=Deployment(settings),
        registry=registry or configured(settings),
        engine=pages,
        work_engine=work,
        assets=assets,
        templates=templating.environment(assets.address),
        passwords=Passwords(),
        provider=open_provider(settings),
        password_limiter=CapacityLimiter(passwords.TOGETHER),
        sampler=sampler,
        live=Live(pages, sampler, now=now),
        shared=Shared(sampler),
        exposition=Exposition(pages, sampler, settings.limits),
        now=now,
    )
    app = Starlette(
        routes=routes.served(),
        middleware=_middleware(settings),
        exception_handlers=errors.HANDLERS,
        lifespan=_lifespan(console, ours),
    )
    app.router.redirect_slashes = False  # an address has one spelling, and no answer repeats the Host header
    app.state.console = console
    return app


def new_worker(settings: WorkerSettings, registry: Registry) -> Worker:
    """A worker, not started yet; ConfigurationError when it could not do what it would advertise.

    One that has the owner's address takes its jobs by that, for a provisioning is the owner's alone to take.
    """
    topology.require_shareable(settings, starts="a worker")
    url = topology.owner_address(settings)
    return local_worker(settings, registry, url=url) if is_file(url) else Worker(settings, registry, url=url)


def new_maintenance(settings: WorkerSettings, registry: Registry) -> Maintenance:
    """Relay, reaper, pruner, observer and backfills, not started yet."""
    topology.require_shareable(settings, starts="the maintenance")
    topology.require_timing(settings)
    return Maintenance(settings, registry, url=topology.address(settings), look=look)


def _engines(settings: ConsoleSettings) -> list[Engine]:
    """One for the pages and one for the work, a pool each: a page holds a place in one while it waits in the other."""
    addresses = (topology.address(settings.of_pages), topology.address(settings))
    size = settings.console_pool_size
    return [connect(each, application_name="watchfloor console", pool_size=size, pre_ping=True) for each in addresses]


def _middleware(settings: ConsoleSettings) -> list[Middleware]:
    """From the outside in; forwarded addresses count only where a proxy is trusted (A-75)."""
    proxies = list(settings.trusted_proxies or ())
    return [
        *([Middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)] if proxies else []),
        Middleware(RequestId),
        Middleware(SecurityHeaders),
        Middleware(Lenses),
        *tracing.middleware(),
        Middleware(ServerErrorMiddleware, handler=errors.crash),  # inside, so that its page has the headers too
        Middleware(GZipMiddleware, minimum_size=1024, compresslevel=6),
        Middleware(Door, refuse=errors.refuse, hosts=settings.hosts, max_body_bytes=MAX_BODY_BYTES),
    ]


def _lifespan(console: Console, ours: list[Engine]) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """What lives as long as the server; engines that were made here are given up here."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        looking = asyncio.create_task(console.live.run())
        try:
            yield
        finally:
            console.live.close()
            looking.cancel()
            for engine in ours:
                engine.dispose()

    return lifespan
