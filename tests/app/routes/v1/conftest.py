"""A console on a busy morning, and a program that may look at all of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.settings import ConsoleSettings
from tests.app.routes.programs import program, token
from tests.system import seed
from tests.system.seed.clock import NOW


@pytest.fixture
def morning(
    console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None, conn: Connection
) -> Iterator[TestClient]:
    """A program with every scope, at half past nine of the busy morning."""
    seed.busy(conn)
    known = settings.model_copy(update={"allowed_hosts": ["testserver"]})
    app: Starlette = main.create_app(known, engine=console_rw, work_engine=app_rw, now=NOW)
    with program(app, token(conn)) as opened:
        yield opened
