"""The composition root: what it builds, and whose the engine is."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette

from app.main import create_app, new_worker
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, signed_in
from worker.errors import ConfigurationError
from worker.handlers import Registry

SERVER, FILE = "postgresql://u:hunter2@host/shop", "sqlite:////tmp/shop.db"


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


def test_pages_and_work_have_an_address_each_or_share_one(
    url: str, conn: Connection, console_rw: Engine, app_rw: Engine
) -> None:
    shared = create_app(ConsoleSettings.model_validate({"database_url": url})).state.console
    assert shared.engine.url == shared.work_engine.url
    assert shared.engine.pool is not shared.work_engine.pool
    own = {"database_url": address(app_rw), "console_database_url": address(console_rw)}
    app = create_app(ConsoleSettings.model_validate(own))
    console = app.state.console
    assert (console.engine.url.username, console.work_engine.url.username) == ("console_rw", "app_rw")
    before = console.engine.pool, console.work_engine.pool
    with browser(app, signed_in(conn)) as client:
        assert client.get("/").status_code == 200
    assert console.engine.pool is not before[0]
    assert console.work_engine.pool is not before[1]


def test_a_page_that_has_the_last_connection_gets_one_for_the_work_too(url: str, conn: Connection) -> None:
    factories.tenant(conn, "shop-1")
    app = create_app(ConsoleSettings.model_validate({"database_url": url, "console_pool_size": 1}))
    with browser(app, signed_in(conn)) as client:
        text = client.get("/tenants/shop-1").text
    assert "Not there yet" in text
    assert "Out of reach" not in text


@pytest.mark.parametrize(
    "values",
    [
        {"console_database_url": SERVER, "database_url": FILE},
        {"console_database_url": FILE, "database_url": SERVER},
        {"console_database_url": FILE, "database_url": FILE},
    ],
)
def test_a_file_knows_no_roles(values: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"CONSOLE_DATABASE_URL: .*SQLite") as refusal:
        create_app(ConsoleSettings.model_validate(values))
    assert "hunter2" not in str(refusal.value)


def test_the_pages_have_no_database_that_the_rest_has_not() -> None:
    with pytest.raises(ValidationError, match="CONSOLE_DATABASE_URL is set, but DATABASE_URL is not") as refusal:
        ConsoleSettings.model_validate({"console_database_url": SERVER})
    assert "hunter2" not in str(refusal.value)


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_an_engine_that_was_given_stays_open(app: Starlette, engine: Engine) -> None:
    before = engine.pool
    with browser(app) as client:
        client.get("/sign-in")
    assert engine.pool is before


@pytest.mark.usefixtures("swift")
def test_two_consoles_on_one_database_share_their_sessions(
    engine: Engine, settings: ConsoleSettings, conn: Connection
) -> None:
    token = signed_in(conn)
    one, other = (browser(create_app(settings, engine=engine), token) for _ in range(2))
    assert one.get("/account").status_code == other.get("/account").status_code == 200
    assert one.post("/sign-out").status_code == 303
    assert other.get("/account").headers["location"].startswith("/sign-in")
