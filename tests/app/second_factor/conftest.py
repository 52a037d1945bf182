"""A console on which second factors can be set up, and dana, who may."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.passwords import Passwords
from tests.app.authenticator import PASSWORD, console
from tests.app.conftest import Visitor
from tests.app.routes.conftest import visitor
from worker.queries.schema import operators

__all__ = ("visitor",)


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, swift: None) -> Starlette:
    """The console at noon, with keys to seal by."""
    return console(console_rw, app_rw)


@pytest.fixture
def dana(visitor: Visitor, conn: Connection) -> TestClient:
    """A browser of dana's, who has the PASSWORD."""
    client = visitor("operator", "dana")
    hashed = Passwords(memory_kib=64, iterations=1, lanes=1).hash(PASSWORD)
    conn.execute(update(operators).values(password=hashed))
    return client
