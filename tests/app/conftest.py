"""A console on the test database, and browsers to visit it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from jinja2 import Environment
from sqlalchemy import Connection, Engine, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main, sessions, templating
from app.assets import Assets
from app.passwords import Passwords
from app.routes import page
from app.settings import ConsoleSettings
from app.web import Route
from tests import factories
from tests.app.routes.programs import program, token
from worker.database import Row
from worker.queries import sessions as stored
from worker.queries.schema import operator_actions

Visitor = Callable[..., TestClient]


@pytest.fixture(scope="session")
def settings() -> ConsoleSettings:
    """The console's defaults, whatever the environment says."""
    return ConsoleSettings.model_validate({})


@pytest.fixture(scope="session")
def assets() -> Assets:
    """The static files, read once for all tests."""
    return Assets()


@pytest.fixture(scope="session")
def templates(assets: Assets) -> Environment:
    """The templates, compiled once for all tests."""
    return templating.environment(assets.address)


@pytest.fixture
def swift(assets: Assets, templates: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Consoles start at once."""
    hurry(monkeypatch, assets, templates)


def hurry(monkeypatch: pytest.MonkeyPatch, assets: Assets, templates: Environment) -> None:
    """What all consoles read is there already, and their passwords cost little."""
    monkeypatch.setattr(main, "Assets", lambda: assets)
    monkeypatch.setattr(templating, "environment", lambda asset: templates)
    monkeypatch.setattr(main, "Passwords", partial(Passwords, memory_kib=64, iterations=1, lanes=1))


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None) -> Starlette:
    """The whole console, as it is served."""
    return main.create_app(settings, engine=console_rw, work_engine=app_rw)


@pytest.fixture
def client(app: Starlette) -> Iterator[TestClient]:
    """A browser that nobody has signed in with; it shows redirects instead of following them."""
    with browser(app) as opened:
        yield opened


@pytest.fixture
def api(app: Starlette, conn: Connection) -> Iterator[TestClient]:
    """A program whose token has every scope."""
    with program(app, token(conn)) as opened:
        yield opened


@pytest.fixture
def visitor(app: Starlette, conn: Connection) -> Visitor:
    """Makes a browser that somebody of a role has signed in with: `visitor("operator")`."""

    def visit(role: str = "operator", name: str | None = None) -> TestClient:
        return browser(app, signed_in(conn, name or f"{role}-{len(trail(conn))}", role))

    return visit


def browser(app: Starlette, token: str | None = None, **options: Any) -> TestClient:
    """A browser, with a session's cookie if there is a token."""
    client = TestClient(app, base_url="http://localhost", follow_redirects=False, **options)
    if token:
        client.cookies.set(sessions.COOKIE, token, domain="localhost.local")
    return client


def signed_in(conn: Connection, name: str = "dana", role: str = "operator", **columns: Any) -> str:
    """The token of a session that a new operator has just begun."""
    operator_id = factories.operator(conn, name, role, **columns)
    token = f"token of {name}"
    stored.open_session(
        conn,
        operator_id=operator_id,
        token_hash=sessions.digest(token),
        idle_seconds=3600,
        length_seconds=3600,
        address="127.0.0.1",
        user_agent="tests",
    )
    return token


def serve(app: Starlette, *routes: Route) -> None:
    """Add routes of one address to those of the console."""
    app.router.routes.append(page(*routes))


def trail(conn: Connection, action: str | None = None) -> list[Row]:
    """The audit rows, oldest first."""
    found = conn.execute(select(operator_actions).order_by(operator_actions.c.id)).all()
    return [row for row in found if action in (None, row.action)]
