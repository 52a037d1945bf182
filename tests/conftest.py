"""What every test shares: a real PostgreSQL, migrated once and emptied before each test that uses it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, make_url, text

from tests.cluster import throwaway
from worker import migrate
from worker.database import connect
from worker.queries.schema import metadata

EMPTY = "TRUNCATE " + ", ".join(str(table) for table in metadata.tables.values()) + " RESTART IDENTITY CASCADE"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that drive the browser run last: from then on, Playwright's event loop holds the main thread."""
    items.sort(key=lambda item: "playwright" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of this run's own server, its `postgres` database empty."""
    with throwaway() as url:
        yield url


@pytest.fixture(scope="session")
def migrated(server: str) -> Iterator[Engine]:
    """An engine on a database at the newest revision."""
    maintenance = connect(server, application_name="tests")
    with maintenance.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
        conn.execute(text("CREATE DATABASE watchfloor"))
    maintenance.dispose()
    url = make_url(server).set(database="watchfloor").render_as_string(hide_password=False)
    engine = connect(url, application_name="tests", pool_size=20)
    migrate.upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(migrated: Engine) -> Engine:
    """An engine on an empty, migrated database."""
    with migrated.begin() as conn:
        conn.execute(text(EMPTY))
    return migrated


@pytest.fixture
def url(engine: Engine) -> str:
    """The address of that database."""
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture
def conn(engine: Engine) -> Iterator[Connection]:
    """A connection on the empty database whose statements are each committed."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        yield conn
