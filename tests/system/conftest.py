"""The console and its worker as processes would run them, and browsers that are watched while they visit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from jinja2 import Environment
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import Connection

from app import sessions
from app.assets import Assets
from app.main import new_worker
from tests import browser as chromium
from tests.app.conftest import assets, hurry, swift, templates
from tests.system import screenshots
from tests.system.console import Console
from tests.system.desk import Desk
from tests.system.looks import LOOKS, picture, picture_at_rest, put_on
from tests.system.scenes import Scenes
from tests.system.watch import Watch
from worker.runtime.worker import Worker
from worker.settings import WorkerSettings

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
)
PATIENCE_MS = 10_000

__all__ = ("assets", "swift", "templates")

NewContext = Callable[..., BrowserContext]
Enter = Callable[..., Page]
Hire = Callable[..., Worker]
Unlike = Callable[[Page, str], list[str]]

expect.set_options(timeout=PATIENCE_MS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest tests/system --approve` keeps what the pages look like now as what they shall look like."""
    parser.addoption("--approve", action="store_true", help="keep the screenshots taken as the approved ones")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The browser of this machine, drawing the same on every machine."""
    return {**browser_type_launch_args, "executable_path": chromium.executable(), "args": list(ARGUMENTS)}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """What every visitor's browser has in common."""
    return {
        **browser_context_args,
        "viewport": {"width": 1440, "height": 900},
        "color_scheme": "light",
        "reduced_motion": "reduce",
        "timezone_id": "UTC",
        "locale": "en-GB",
    }


@pytest.fixture(scope="session")
def scenes(
    server: str,
    browser: Browser,
    browser_context_args: dict[str, Any],
    assets: Assets,
    templates: Environment,
) -> Iterator[Scenes]:
    """Consoles that stand still, each made once somebody asks for it."""
    with pytest.MonkeyPatch.context() as patches:
        hurry(patches, assets, templates)
        made = Scenes(server, browser, browser_context_args)
        yield made
        made.close()


@pytest.fixture
def unlike(request: pytest.FixtureRequest) -> Unlike:
    """In words, how a page differs from its approved pictures: `unlike(page, "jobs")`; or it is approved as it is."""
    approving = bool(request.config.getoption("--approve", default=False))

    def differs(page: Page, name: str, look: str) -> str | None:
        each = f"{name}-{look}"
        if approving:
            screenshots.approve(each, picture_at_rest(page, look))
        elif screenshots.difference(each, picture(page, look)) is None:
            return None
        return screenshots.difference(each, picture_at_rest(page, look))

    def compare(page: Page, name: str) -> list[str]:
        page.mouse.move(0, 0)
        found = [words for look in LOOKS if (words := differs(page, name, look))]
        put_on(page)
        return found

    return compare


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Fails the test when a page complains of something that the test did not expect."""
    watching = Watch()
    yield watching
    assert watching.complaints() == []


@pytest.fixture
def desk() -> Desk:
    """The handlers of the flow tests, and what they wait for."""
    return Desk()


@pytest.fixture
def console(url: str, desk: Desk, swift: None) -> Iterator[Console]:
    """The console on the empty database."""
    started = Console(url, desk.registry).start()
    yield started
    started.stop()


@pytest.fixture
def hire(url: str, desk: Desk) -> Iterator[Hire]:
    """Starts a worker with the desk's handlers, quick to look and to beat: `hire()`."""
    with ExitStack() as staff:

        def start(**settings: object) -> Worker:
            quick = {"poll_interval_seconds": 0.2, "heartbeat_interval_seconds": 1, "lease_seconds": 30}
            given = {**quick, "database_url": url, "worker_concurrency": 2, **settings}
            worker = new_worker(WorkerSettings.model_validate(given), desk.registry)
            worker.start()
            staff.callback(worker.stop, 2)
            return worker

        staff.callback(desk.close)
        yield start


@pytest.fixture
def visit(console: Console, new_context: NewContext, watch: Watch) -> Enter:
    """Opens a page in a new browser that nobody has signed in with: `visit("/sign-in")`."""

    def open_page(path: str = "/", *, token: str | None = None, **options: Any) -> Page:
        context = new_context(base_url=console.url, **options)
        if token:
            context.add_cookies([{"name": sessions.COOKIE, "value": token, "url": console.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        watch.over(page, console.url)
        page.goto(path)
        return page

    return open_page


@pytest.fixture
def enter(visit: Enter, console: Console, conn: Connection) -> Enter:
    """Opens a page in the own browser of somebody who has signed in: `enter("dana", "/queues")`."""

    def open_page(name: str = "dana", path: str = "/", *, role: str = "operator", **options: Any) -> Page:
        return visit(path, token=console.session(conn, name, role), **options)

    return open_page
