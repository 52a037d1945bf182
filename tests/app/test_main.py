"""The composition root: what it builds, and whose the engine is."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette

from app.main import create_app, new_worker
from app.settings import ConsoleSettings
from tests.app.conftest import browser, signed_in
from worker.errors import ConfigurationError
from worker.handlers import Registry


def test_without_a_database_it_names_the_setting(settings: ConsoleSettings) -> None:
    with pytest.raises(ConfigurationError, match="DATABASE_URL"):
        create_app(settings)
    with pytest.raises(ConfigurationError, match="DATABASE_URL"):
        new_worker(settings, Registry())


def test_an_engine_of_its_own_is_given_up_at_the_end(url: str, conn: Connection) -> None:
    app = create_app(ConsoleSettings.model_validate({"database_url": url}))
    before = app.state.console.engine.pool
    with browser(app, signed_in(conn)) as client:
        assert client.get("/account").status_code == 200
    assert app.state.console.engine.pool is not before


def test_an_engine_that_was_given_stays_open(app: Starlette, engine: Engine) -> None:
    before = engine.pool
    with browser(app) as client:
        client.get("/sign-in")
    assert engine.pool is before


def test_two_consoles_on_one_database_share_their_sessions(
    engine: Engine, settings: ConsoleSettings, conn: Connection
) -> None:
    token = signed_in(conn)
    one, other = (browser(create_app(settings, engine=engine), token) for _ in range(2))
    assert one.get("/account").status_code == other.get("/account").status_code == 200
    assert one.post("/sign-out").status_code == 303
    assert other.get("/account").headers["location"].startswith("/sign-in")
