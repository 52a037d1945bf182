"""A queue is paused with a reason and an end, and resumed."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.scenes import Scene
from tests.system.walks.walk import Step, Walk

WHY = "The provider answers 451 to all of it; their incident 7731"


def ask(page: Page, scene: Scene) -> None:
    """Say why."""
    page.get_by_role("main").get_by_role("link", name="Pause").click()
    page.get_by_role("dialog").get_by_label("Why").fill(WHY)


def pause(page: Page, scene: Scene) -> None:
    """Let nothing more be taken."""
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("link", name="Resume")).to_be_visible()


def ask_to_resume(page: Page, scene: Scene) -> None:
    """See what waits."""
    page.get_by_role("main").get_by_role("link", name="Resume").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Resume")).to_be_visible()


WALK = Walk(
    "A queue: paused, and resumed",
    "/queues/mail",
    (
        Step("pause-asked", "What a pause does, why, and until when.", ask),
        Step("queue-paused", "It is paused, by whom, why and until when.", pause),
        Step("resume-asked", "What waits for the resume.", ask_to_resume),
    ),
)
