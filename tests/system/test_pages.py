"""Every page as it shall look, light, dark and on a phone; and nothing on it that shuts anybody out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.system import axe, screenshots, seed
from tests.system.scenes import LOOKS, Scene, scene
from tests.system.watch import Watch


@dataclass(frozen=True)
class View:
    """A page of a scene; `then` is what the visitor does before looking."""

    path: str
    scene: str = "busy"
    then: Callable[[Page], None] | None = None
    complains: str = "nothing"


VIEWS = {
    "overview": View("/"),
    "overview-calm": View("/", "calm"),
    "queues": View("/queues"),
    "workers": View("/workers"),
    "error": View("/nothing-here", complains=" 404 "),
}

Open = Callable[[str, str], Page]


@pytest.fixture(scope="session")
def scenes(server: str) -> Iterator[dict[str, Scene]]:
    """The busy console and the calm one."""
    with scene(server, "busy", seed.busy) as busy, scene(server, "calm", seed.calm) as calm:
        yield {"busy": busy, "calm": calm}


@pytest.fixture
def look_at(
    scenes: dict[str, Scene], browser: Browser, browser_context_args: dict[str, Any], watch: Watch
) -> Iterator[Open]:
    """Opens a view in one of the looks, and waits until it is all there."""
    pages: list[Page] = []

    def opened(name: str, look: str) -> Page:
        view = VIEWS[name]
        watch.expect(view.complains)
        page = scenes[view.scene].page(browser, look, watch, browser_context_args)
        pages.append(page)
        page.goto(view.path)
        expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
        if view.then:
            view.then(page)
        page.evaluate("document.fonts.ready")
        return page

    yield opened
    for page in pages:
        page.close()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", VIEWS)
def test_a_page_looks_as_approved(look_at: Open, name: str, look: str, request: pytest.FixtureRequest) -> None:
    page = look_at(name, look)
    taken = page.screenshot(full_page=VIEWS[name].then is None, animations="disabled")
    if request.config.getoption("--approve", default=False):
        screenshots.approve(f"{name}-{look}", taken)
    assert screenshots.difference(f"{name}-{look}", taken) is None


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_page_shuts_nobody_out(look_at: Open, name: str, look: str) -> None:
    assert axe.violations(look_at(name, look)) == []
