"""What people do, as it shall look at each step."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page

from tests.system.conftest import Unlike
from tests.system.scenes import Scenes
from tests.system.walks import WALKS, Walk
from tests.system.watch import Watch

PATIENCE_SECONDS = 10


@pytest.mark.parametrize("walk", WALKS, ids=[walk.steps[0].name for walk in WALKS])
def test_a_walk_looks_as_approved_at_each_step(walk: Walk, scenes: Scenes, unlike: Unlike) -> None:
    watch, found = Watch(), []
    watch.expect(walk.complains)
    with scenes.own(walk.scene, **walk.settings) as scene:
        page = scene.page("dana")
        watch.over(page, scene.console.url)
        page.goto(walk.path)
        for step in walk.steps:
            step.go(page, scene)
            settle(page)
            page.evaluate("document.fonts.ready")
            found += unlike(page, step.name)
    assert found + watch.complaints() == []


def settle(page: Page) -> None:
    """Wait until the rail of a live page counts what that of a page would that is opened now."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while page.locator("[data-live=on]").count() and counts(page.content()) != counts(page.request.get("/").text()):
        assert time.monotonic() < deadline, "the rail does not follow"
        page.wait_for_timeout(100)


def counts(html: str) -> list[str]:
    """What stands beside the names in the rail."""
    rail = html.partition('aria-label="Console"')[2].partition("</nav>")[0]
    return re.sub("<[^>]*>", " ", rail).split()
