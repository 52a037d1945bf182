"""What people do, as it shall look at each step."""

from __future__ import annotations

import pytest

from tests.system.conftest import Unlike
from tests.system.scenes import Scenes
from tests.system.walks import WALKS, Walk
from tests.system.watch import Watch


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
            page.evaluate("document.fonts.ready")
            found += unlike(page, step.name)
    assert found + watch.complaints() == []
