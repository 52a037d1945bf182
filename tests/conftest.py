"""What every test shares: a real PostgreSQL, migrated once and emptied before each test; for queries, SQLite too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import hypothesis
import pytest
from sqlalchemy import Connection, Engine, make_url, text

from tests import files
from tests.cluster import throwaway
from tests.emptying import empty
from tests.engines import shared
from tests.pooler import Pooler, pooling
from worker import migrate
from worker.database import APP_RW, CONSOLE_RW, OWNER, connect, url_of
from worker.runtime import hosting

hypothesis.settings.register_profile("unhurried", deadline=None)  # how long an example takes says what else runs here
hypothesis.settings.load_profile("unhurried")

BOTH = tuple(
    Path(__file__).parent / folder
    for folder in (
        "worker/queries",
        "worker/database",
        "worker/provisioning",
        "worker/handlers",
        "app/routes",
        "conformance",
    )
)
"""Where a test that uses the database runs on PostgreSQL and on SQLite, unless it is marked `postgresql`."""

LAST = ("playwright", "visit")
"""Who uses the first runs after all that do not, and who uses the second, after those that do not."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that drive the browser run last: from then on, Playwright's event loop holds the main thread.

    Of those, the long ones come first, so that no process has to wait for another's at the end.
    """
    items.sort(key=lambda item: [each in getattr(item, "fixturenames", ()) for each in LAST])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is about queries on each database."""
    on_both = any(metafunc.definition.path.is_relative_to(folder) for folder in BOTH)
    needs_server = metafunc.definition.get_closest_marker("postgresql")
    if on_both and not needs_server and "database" in metafunc.fixturenames:
        metafunc.parametrize("database", ["postgresql", "sqlite"], indirect=True)


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
    engine = shared(url)
    migrate.upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file at the newest revision, to be copied."""
    return files.template(tmp_path_factory.mktemp("sqlite") / "template.db")


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Which database the test runs on."""
    return str(getattr(request, "param", "postgresql"))


@pytest.fixture
def engine(database: str, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine on an empty, migrated database."""
    if database == "sqlite":
        folder: Path = request.getfixturevalue("tmp_path")
        fresh = files.fresh(request.getfixturevalue("file"), folder / "watchfloor.db")
        yield fresh
        fresh.dispose()
        return
    migrated: Engine = request.getfixturevalue("migrated")
    empty(migrated)
    yield migrated
    for left in list(hosting._HERE._by_address.values()):
        left.stop()  # by a test that failed; it would take the jobs of all that come after


@pytest.fixture
def console_rw(engine: Engine, request: pytest.FixtureRequest) -> Engine:
    """The same database as the console's pages may use it."""
    return of_staff(engine, request, CONSOLE_RW)


@pytest.fixture
def app_rw(engine: Engine, request: pytest.FixtureRequest) -> Engine:
    """The same database as workers, the maintenance and the API's work may use it."""
    return of_staff(engine, request, APP_RW)


@pytest.fixture
def owner(engine: Engine, request: pytest.FixtureRequest) -> Engine:
    """The same database as migrations and the provisioner may use it."""
    return of_staff(engine, request, OWNER)


@pytest.fixture(scope="session")
def staff(migrated: Engine) -> Iterator[dict[str, Engine]]:
    """The engines of the roles, which keep their connections from test to test."""
    with ExitStack() as stack:
        yield {role: stack.enter_context(as_role(migrated, role)) for role in (OWNER, APP_RW, CONSOLE_RW)}


def of_staff(engine: Engine, request: pytest.FixtureRequest, role: str) -> Engine:
    """The engine of that role; a file knows no roles."""
    if engine.dialect.name == "sqlite":
        return engine
    staff: dict[str, Engine] = request.getfixturevalue("staff")
    return staff[role]


@contextmanager
def as_role(engine: Engine, role: str) -> Iterator[Engine]:
    """An engine of the role, which the test's server lets in."""
    url = engine.url.set(username=role).render_as_string(hide_password=False)
    theirs = shared(url)
    yield theirs
    theirs.dispose()


@pytest.fixture
def url(engine: Engine) -> str:
    """The address of that database."""
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture
def conn(engine: Engine) -> Iterator[Connection]:
    """A connection on the empty database whose statements are each committed."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        yield conn


@pytest.fixture
def pooler(url: str) -> Iterator[Pooler]:
    """A transaction pooler in front of that database."""
    with pooling(url) as pooler:
        yield pooler


@pytest.fixture
def lent(pooler: Pooler) -> Iterator[Engine]:
    """An engine that knows of the pooler."""
    engine = connect(url_of(pooler.url, pooled=True), application_name="tests")
    yield engine
    engine.dispose()
