"""The console with its clock at NOON, where the factories' rows are, and people to visit it."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main, sessions
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import Visitor, browser
from tests.factories import NOON
from worker.queries import sessions as stored


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None) -> Starlette:
    """The whole console, as it is served, at noon: each button works although the pages' role may do little else."""
    return main.create_app(settings, engine=console_rw, work_engine=app_rw, now=NOON)


@pytest.fixture
def visitor(app: Starlette, conn: Connection) -> Visitor:
    """Makes a browser that somebody of a role has signed in with at noon: `visitor("operator")`."""

    def visit(role: str = "operator", name: str | None = None) -> TestClient:
        token = f"token of {name or role}"
        stored.open_session(
            conn,
            operator_id=factories.operator(conn, name or role, role),
            token_hash=sessions.digest(token),
            idle_seconds=3600,
            length_seconds=3600,
            address="127.0.0.1",
            user_agent="tests",
            now=NOON,
        )
        return browser(app, token)

    return visit
