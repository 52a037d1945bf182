"""A tenant that could not be set up is set up again, and that is stopped."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.scenes import Scene
from tests.system.seed.provisioning import LONG
from tests.system.walks.walk import Step, Walk


def again(page: Page, scene: Scene) -> None:
    """Try it once more."""
    page.get_by_role("main").get_by_role("button", name="Provision again").click()
    expect(page.get_by_role("main").get_by_role("link", name="Cancel provisioning")).to_be_visible()


def ask(page: Page, scene: Scene) -> None:
    """See what stays."""
    page.get_by_role("main").get_by_role("link", name="Cancel provisioning").click()
    page.get_by_role("dialog").get_by_label("Why").fill("The contract is not signed")


def cancel(page: Page, scene: Scene) -> None:
    """Stop it."""
    page.get_by_role("dialog").get_by_role("button", name="Cancel provisioning").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("button", name="Provision again")).to_be_enabled()


WALK = Walk(
    "A tenant: set up again, and stopped",
    f"/tenants/{LONG}",
    (
        Step("tenant-again", "It waits for a worker, and goes on where it had stopped.", again),
        Step("tenant-cancel-asked", "What stays when it is stopped.", ask),
        Step("tenant-cancelled", "It is stopped.", cancel),
    ),
    scene="provisioning",
)
