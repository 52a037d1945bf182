"""Letting somebody in, and out again."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.conftest import Enter
from tests.system.watch import Watch

WORDS = "correct horse battery staple"


def test_an_admin_invites_somebody_who_comes_changes_their_role_and_disables_them(enter: Enter, visit: Enter) -> None:
    lee = enter("lee", "/operators", role="admin")
    robin = visit(invited(lee, "robin"))
    robin.get_by_label("Password").fill(WORDS)
    robin.get_by_label("Once more").fill(WORDS)
    robin.get_by_role("button", name="Come in").click()
    robin.wait_for_url("/")
    lee.get_by_role("link", name="Done").click()
    lee.get_by_role("link", name="robin").click()
    lee.get_by_label("Viewer").check()
    lee.get_by_role("button", name="Change the role").click()
    expect(lee.get_by_text("No browser is signed in as robin now.")).to_be_visible()
    robin.goto("/queues")
    expect(robin.get_by_role("heading", name="Sign in")).to_be_visible()
    lee.get_by_role("link", name="Disable").click()
    lee.get_by_role("dialog").get_by_role("button", name="Disable").click()
    expect(lee.get_by_role("button", name="Let in again")).to_be_visible()
    expect(lee.get_by_role("dialog")).to_have_count(0)


def invited(page: Page, name: str) -> str:
    """The path of the link that is shown once, where no mail leaves."""
    page.get_by_role("link", name="Invite").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_label("Name").fill(name)
    sheet.get_by_role("button", name="Invite").click()
    link = page.locator("[data-link]")
    expect(link).to_be_visible()
    expect(sheet).to_have_count(0)
    return "/invitations/" + link.inner_text().rpartition("/")[2]


def test_the_last_admin_is_told_in_the_dialog_and_stays(enter: Enter, watch: Watch) -> None:
    watch.expect(" 422 ")
    lee = enter("lee", "/operators", role="admin")
    lee.locator("tbody").get_by_role("link", name="lee").click()
    lee.get_by_role("link", name="Disable").click()
    sheet = lee.get_by_role("dialog")
    sheet.get_by_role("button", name="Disable").click()
    expect(sheet.get_by_text("No other admin has ever come in")).to_be_visible()
    sheet.get_by_role("link", name="Keep as is").click()
    expect(lee.get_by_text("active")).to_be_visible()
