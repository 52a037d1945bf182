"""Consoles that stand still: each on a database of its own, filled once, its clock stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from sqlalchemy import Engine

from app import sessions
from tests.post import KEY
from tests.system import copies, seed
from tests.system.console import Console
from tests.system.looks import put_on
from tests.system.seed import handlers
from tests.system.seed.clock import NOW
from tests.system.seed.people import TOKENS
from worker import migrate

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


@dataclass
class Scene:
    """A console and the browsers that look at it, one for each visitor."""

    console: Console
    engine: Engine
    browser: Browser
    arguments: dict[str, Any]
    _contexts: dict[str | None, BrowserContext] = field(default_factory=dict)

    def page(self, visitor: str | None) -> Page:
        """A new page on a phone and at the scene's time, of somebody who is signed in or of nobody."""
        if visitor not in self._contexts:
            context = self.browser.new_context(**{**self.arguments, "base_url": self.console.url})
            context.clock.set_fixed_time(NOW)
            if visitor:
                context.add_cookies([{"name": sessions.COOKIE, "value": TOKENS[visitor], "url": self.console.url}])
            self._contexts[visitor] = context
        page = self._contexts[visitor].new_page()
        put_on(page)
        return page

    def close(self) -> None:
        """Shut the browsers, so that the console has nobody to wait for, and the console."""
        for context in self._contexts.values():
            context.close()
        self.console.stop()


class Scenes:
    """Every scene that somebody asked for, by what is on it, and copies of them in which much may happen."""

    def __init__(self, server: str, browser: Browser, arguments: dict[str, Any]) -> None:
        self._server, self._browser, self._arguments = server, browser, arguments
        self._filled: set[str] = set()
        self._shared: dict[str, Scene] = {}
        self._open, self._numbers = ExitStack(), count(1)

    def shared(self, name: str) -> Scene:
        """The scene that everybody looks at and nobody changes."""
        if name not in self._shared:
            self._shared[name] = self._open.enter_context(self.own(name))
        return self._shared[name]

    @contextmanager
    def own(self, name: str, **settings: object) -> Iterator[Scene]:
        """The scene on a copy of its database."""
        if name not in self._filled:
            self._fill(name)
        url = copies.create(self._server, f"{name}_{next(self._numbers)}", of=name)
        with copies.entered(url) as engine:
            console = Console(url, handlers.registry(), now=NOW, **{**SETTINGS, **settings}).start()
            scene = Scene(console, engine, self._browser, self._arguments)
            try:
                yield scene
            finally:
                scene.close()

    def close(self) -> None:
        """Close all that is open."""
        self._open.close()

    def _fill(self, name: str) -> None:
        with copies.entered(copies.create(self._server, name)) as engine:
            migrate.upgrade(engine)
            seed.fill(engine, name)
        self._filled.add(name)
