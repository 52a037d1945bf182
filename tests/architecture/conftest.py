"""A database with a long history, on which plans are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from tests.architecture.history import fill
from tests.worker.databases import fresh
from worker import migrate


@pytest.fixture(scope="session")
def filled(server: str) -> Iterator[Connection]:
    """A connection on the filled tables; who adds to them takes it away again."""
    with fresh(server, "history") as engine:
        migrate.upgrade(engine)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            fill(conn)
            yield conn
