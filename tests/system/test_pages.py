"""Every page as it shall look, light, dark and on a phone; and nothing on it that shuts anybody out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.system import axe
from tests.system.conftest import Unlike
from tests.system.looks import put_on
from tests.system.scenes import Scenes
from tests.system.views import VIEWS
from tests.system.watch import Watch

EACH = [pytest.param(name, marks=pytest.mark.xdist_group(f"views of {view.scene}")) for name, view in VIEWS.items()]


@dataclass(frozen=True)
class Shown:
    """A view, open before somebody."""

    name: str
    page: Page


@pytest.fixture(scope="module", params=EACH)
def shown(scenes: Scenes, request: pytest.FixtureRequest) -> Iterator[Shown]:
    """A view that is all there; fails when it complained of something."""
    view, watch = VIEWS[request.param], Watch()
    scene = scenes.shared(view.scene)
    page = scene.page(view.visitor)
    watch.expect(view.complains)
    watch.over(page, scene.console.url)
    page.goto(view.path)
    if view.visitor:
        expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
    if view.then:
        view.then(page)
    page.evaluate("document.fonts.ready")
    yield Shown(request.param, page)
    page.close()
    assert watch.complaints() == []


def test_a_page_looks_as_approved(shown: Shown, unlike: Unlike) -> None:
    assert unlike(shown.page, shown.name) == []


@pytest.mark.parametrize(("look", "rules"), axe.LOOKS_AT.items(), ids=axe.LOOKS_AT.keys())
def test_a_page_shuts_nobody_out(shown: Shown, look: str, rules: axe.Rules) -> None:
    put_on(shown.page, look)
    assert axe.violations(shown.page, rules) == []
