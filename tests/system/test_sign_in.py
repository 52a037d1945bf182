"""Coming in and going out."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect
from sqlalchemy import Connection, update

from app.passwords import Passwords
from tests import factories
from tests.system.conftest import Enter
from tests.system.console import Console
from tests.system.watch import Watch
from worker.queries.schema import operators

WORDS = "correct horse battery staple"


def signed_in(page: Page, name: str) -> None:
    """The rail says who is here."""
    expect(page.get_by_role("link", name=re.compile(rf"^{name} "))).to_be_visible()


def test_a_one_time_link_signs_in_once(visit: Enter, console: Console, conn: Connection, watch: Watch) -> None:
    watch.expect(" 410 ")
    link = console.link(conn, "dana", "operator")
    page = visit(link)
    expect(page.get_by_role("heading", name="Welcome, dana")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("/")
    signed_in(page, "dana")
    again = visit(link)
    expect(again.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(again.get_by_role("button", name="Sign in")).to_have_count(0)


def test_a_name_and_a_password_sign_in_and_lead_to_the_page_that_was_asked_for(
    visit: Enter, conn: Connection, watch: Watch
) -> None:
    watch.expect(" 422 ")
    factories.operator(conn, "lee", "admin")
    conn.execute(update(operators).values(password=Passwords().hash(WORDS)))
    page = visit("/queues")
    page.get_by_label("Name").fill("lee")
    page.get_by_label("Password").fill("not the words")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".banner")).to_be_visible()
    page.get_by_label("Password").fill(WORDS)
    page.keyboard.press("Enter")
    page.wait_for_url("/queues")
    signed_in(page, "lee")


def test_who_signed_out_finds_the_sign_in_page_behind_the_back_button_and_leaves_nothing_in_the_browser(
    enter: Enter,
) -> None:
    """A-68."""
    page = enter("dana", "/queues")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Local").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    page.go_back()
    page.wait_for_url("**/sign-in?next=%2Fqueues")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("navigation", name="Console")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).sort()") == ["watchfloor.theme", "watchfloor.zone"]
    assert page.evaluate("sessionStorage.length + document.cookie.length") == 0
