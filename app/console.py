"""What one console process is made of; built once in `app.main`, found again through any request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from anyio import CapacityLimiter
from jinja2 import Environment
from starlette.requests import Request

from app.assets import Assets
from app.live import Live
from app.metrics.exposition import Exposition
from app.passwords import Passwords
from app.sampler import Sampler
from app.settings import ConsoleSettings
from app.shared import Shared
from worker.database import Engine
from worker.deployment import Deployment
from worker.handlers import Registry

if TYPE_CHECKING:
    from app.oidc.provider import Provider


@dataclass(frozen=True)
class Console:
    """The parts that every request shares; `now` is None where the database's clock is used.

    Pages have `engine`, whose role may do no more than their buttons; `work_engine` reaches what is a tenant's own.
    """

    settings: ConsoleSettings
    deployment: Deployment
    registry: Registry
    engine: Engine
    work_engine: Engine
    assets: Assets
    templates: Environment
    passwords: Passwords
    password_limiter: CapacityLimiter
    provider: Provider | None
    sampler: Sampler
    live: Live
    shared: Shared
    exposition: Exposition
    now: datetime | None = None


def console_of(request: Request) -> Console:
    """The console that answers this request."""
    console = request.app.state.console
    assert isinstance(console, Console)
    return console
