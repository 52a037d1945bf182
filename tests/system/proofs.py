"""What people do before a picture is taken of how they prove who they are."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.app.authenticator import Phone
from tests.system.seed.clock import NOW
from tests.system.seed.proofs import PASSWORD, TYPED


def give_password(page: Page, name: str = "dana", then: str = "One more step") -> None:
    """As far as the code."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name=then)).to_be_visible()


def give_admins_password(page: Page) -> None:
    """As far as the second factor that admins need here."""
    give_password(page, "lee", then="Set up a second factor")


def renew_codes(page: Page) -> None:
    """With the first code of the moment that no look before this one has used."""
    done = page.get_by_role("heading", name="Recovery codes", exact=True)
    for steps in (-1, 0, 1):
        page.locator("[name=code]").fill(Phone(TYPED).code(steps=steps, now=NOW))
        with page.expect_navigation():
            page.get_by_role("button", name="Make new recovery codes").click()
        if done.count():
            break
    expect(done).to_be_visible()
