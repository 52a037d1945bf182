"""Which deployment the console is of: production looks like nothing else, before and after signing in."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine
from starlette.testclient import TestClient

from app import main
from app.settings import ConsoleSettings
from tests.app.conftest import browser, signed_in


def console(engine: Engine, environment: str, token: str | None = None) -> TestClient:
    """A browser on a console of that environment."""
    return browser(main.create_app(ConsoleSettings.model_validate({"environment": environment}), engine=engine), token)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("production", "production"),
        ("PROD-eu", "production"),
        ("live", "production"),
        ("staging", "staging"),
        ("reproduction", "other"),
        ("local", "other"),
    ],
)
def test_a_name_says_what_the_environment_is(name: str, kind: str) -> None:
    assert ConsoleSettings.model_validate({"environment": name}).environment_kind == kind


@pytest.mark.usefixtures("swift")
def test_production_cannot_be_taken_for_anything_else(engine: Engine, conn: Connection) -> None:
    page = console(engine, "prod-eu", signed_in(conn)).get("/help").text
    assert 'data-environment="production">' in page
    assert "<title>prod-eu: Help · Watchfloor</title>" in page
    assert "/favicon-production.svg" in page
    assert '<span class="env" title="Environment">prod-eu</span>' in page
    assert 'data-environment="prod-eu" aria-description="In prod-eu"></dialog>' in page


@pytest.mark.usefixtures("swift")
def test_the_door_says_where_it_leads(engine: Engine) -> None:
    page = console(engine, "production").get("/sign-in").text
    assert "<title>production: Sign in · Watchfloor</title>" in page
    assert '<span class="env" title="Environment">production</span>' in page


@pytest.mark.usefixtures("swift")
def test_elsewhere_nothing_cries_out(engine: Engine) -> None:
    page = console(engine, "local").get("/sign-in").text
    assert "<title>Sign in · Watchfloor</title>" in page
    assert "/favicon.svg" in page
