"""Every page as it shall look, light, dark and on a phone; nothing on it shuts anybody out, moves, or does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.system import axe, comfort
from tests.system.conftest import Unlike
from tests.system.looks import put_on
from tests.system.scenes import Scenes
from tests.system.views import VIEWS, View
from tests.system.watch import Watch


@pytest.mark.parametrize("name", VIEWS)
def test_a_page_looks_as_approved_and_shuts_nobody_out(name: str, scenes: Scenes, unlike: Unlike) -> None:
    with shown(scenes, VIEWS[name]) as page:
        found = comfort.movements(page)
        found += unlike(page, name)
        for look, rules in axe.LOOKS_AT.items():
            put_on(page, look)
            found += [f"{look}: {words}" for words in axe.violations(page, rules)]
        found += comfort.discomforts(page)
    assert found == []


@contextmanager
def shown(scenes: Scenes, view: View) -> Iterator[Page]:
    """A view that is all there; fails when it complained of something."""
    scene, watch = scenes.shared(view.scene), Watch()
    page = scene.page(view.visitor)
    watch.expect(view.complains)
    watch.over(page, scene.console.url)
    page.goto(view.path)
    if view.visitor:
        expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
    if view.then:
        view.then(page)
    page.evaluate("document.fonts.ready")
    yield page
    page.close()
    assert watch.complaints() == []
