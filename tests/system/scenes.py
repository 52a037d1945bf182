"""Consoles that stand still: each on a database of its own, filled once, its clock stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from sqlalchemy import Connection, Engine, make_url, text

from app import sessions
from tests.post import KEY
from tests.system.console import Console
from tests.system.seed.clock import NOW
from tests.system.seed.people import TOKEN
from worker import migrate
from worker.database import connect
from worker.handlers import Registry

LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 420, "height": 900}},
}

SETTINGS: dict[str, Any] = {
    "environment": "production",
    "secret_keys": KEY,
    "require_second_factor": "admin",
    "mail_uri": "memory://",
    "url": "https://console.floor.example",
    "oidc_issuer": "https://login.floor.example",
    "oidc_client_id": "watchfloor",
    "oidc_default_role": "viewer",
}


@contextmanager
def scene(
    server: str, name: str, fill: Callable[[Connection], None], furnish: Callable[[Engine], None] | None = None
) -> Iterator[Scene]:
    """A console whose database was filled, and then furnished with what tenants have; all is gone at the end."""
    with _database(server, name) as engine:
        with engine.begin() as conn:
            fill(conn)
        if furnish:
            furnish(engine)
        url = engine.url.render_as_string(hide_password=False)
        console = Console(url, Registry(), now=NOW, **SETTINGS).start()
        try:
            yield Scene(console)
        finally:
            console.stop()


@contextmanager
def _database(server: str, name: str) -> Iterator[Engine]:
    maintenance = connect(server, application_name="tests")
    with maintenance.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
        conn.execute(text(f"CREATE DATABASE {name}"))
    maintenance.dispose()
    url = make_url(server).set(database=name).render_as_string(hide_password=False)
    engine = connect(url, application_name="tests")
    try:
        migrate.upgrade(engine)
        yield engine
    finally:
        engine.dispose()


@dataclass
class Scene:
    """A console and the browsers that look at it, one for each look."""

    console: Console
    _contexts: dict[str, BrowserContext] = field(default_factory=dict)

    def page(self, browser: Browser, look: str, arguments: dict[str, Any], *, signed_in: bool) -> Page:
        """A new page in the browser of that look, at the scene's time."""
        key = f"{look} {signed_in}"
        if key not in self._contexts:
            context = browser.new_context(**{"base_url": self.console.url, **arguments, **LOOKS[look]})
            context.clock.set_fixed_time(NOW)
            if signed_in:
                context.add_cookies([{"name": sessions.COOKIE, "value": TOKEN, "url": self.console.url}])
            self._contexts[key] = context
        return self._contexts[key].new_page()
