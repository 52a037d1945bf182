"""What dana does before a picture is taken of how she proves who she is."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.app.authenticator import Phone
from tests.system.seed.clock import NOW
from tests.system.seed.proofs import PASSWORD, TYPED


def give_password(page: Page) -> None:
    """As far as the code."""
    page.get_by_label("Name").fill("dana")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()


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
