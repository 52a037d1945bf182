"""What a handler keeps from the eye is shown to whoever says why."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.scenes import Scene
from tests.system.seed.dead import DEAD_JOB
from tests.system.walks.walk import Step, Walk


def look(page: Page, scene: Scene) -> None:
    """See that something is closed."""
    expect(page.locator("#payload .closed").first).to_be_visible()


def ask(page: Page, scene: Scene) -> None:
    """Say why."""
    page.locator("#payload").get_by_role("link", name="Reveal").click()
    page.get_by_role("dialog").get_by_label("Why").fill("The customer asks whose name is on it")


def reveal(page: Page, scene: Scene) -> None:
    """Have it shown."""
    page.get_by_role("dialog").get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("All of it is open to you.")).to_be_visible()


WALK = Walk(
    "A payload: closed in part, and revealed",
    f"/jobs/{DEAD_JOB}",
    (
        Step("payload-closed", "The customer's name is closed, as the handler asks.", look),
        Step("reveal-asked", "What a reveal leaves in the trail.", ask),
        Step("payload-revealed", "All of it, once, to whoever asked.", reveal),
    ),
)
