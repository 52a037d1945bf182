"""An admin resets the second factor of somebody who lost the phone, and invites another; no mail leaves from here."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.system.scenes import Scene
from tests.system.seed import accounts
from tests.system.walks.walk import Step, Walk

PASSWORD = "a few words in a row"


def ask(page: Page, scene: Scene) -> None:
    """Say whom."""
    page.goto("/operators")
    page.get_by_role("link", name="Invite").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("noor")
    dialog.get_by_label("Operator", exact=False).check()


def invite(page: Page, scene: Scene) -> None:
    """Get the link."""
    page.get_by_role("dialog").get_by_role("button", name="Invite").click()
    expect(page.locator("[data-link]")).to_be_visible()


def come_in(page: Page, scene: Scene) -> None:
    """Open it as the one who is invited."""
    link = urlsplit(page.locator("[data-link]").inner_text())
    page.context.clear_cookies()
    page.goto(link.path)
    expect(page.get_by_role("heading", name="Welcome, noor")).to_be_visible()


def accept(page: Page, scene: Scene) -> None:
    """Choose a password."""
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Once more").fill(PASSWORD)
    page.get_by_role("button", name="Come in").click()
    expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")


def ask_to_reset(page: Page, scene: Scene) -> None:
    """See what it means."""
    page.get_by_role("main").get_by_role("link", name="Reset").first.click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Reset")).to_be_visible()


def reset(page: Page, scene: Scene) -> None:
    """Do it."""
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("link", name="Reset")).to_have_count(0)


WALK = Walk(
    "People: one has lost the phone, another is invited and comes in",
    f"/operators/{accounts.LEE}",
    (
        Step("reset-asked", "What it means to reset a second factor.", ask_to_reset),
        Step("reset-done", "It is gone until a new one is set up.", reset),
        Step("invite-asked", "Who, and what they may do.", ask),
        Step("invite-handed", "No mail leaves from here, so the link is shown, once.", invite),
        Step("invite-opened", "Who was invited chooses a password.", come_in),
        Step("invite-accepted", "And is in.", accept),
    ),
    scene="accounts",
    settings={"mail_uri": None},
)
