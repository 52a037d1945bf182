"""Coming in with more than a password, or by a provider's word, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect
from sqlalchemy import Connection

from tests.app.authenticator import Phone
from tests.app.oidc.conftest import provider, trusted
from tests.identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider
from tests.post import KEY
from tests.system.conftest import Enter
from tests.system.console import Console
from tests.system.desk import Desk
from tests.system.test_sign_in import signed_in
from tests.system.watch import Watch

__all__ = ("provider", "trusted")


@pytest.fixture
def console(url: str, desk: Desk, swift: None, provider: IdentityProvider) -> Iterator[Console]:
    """A console that seals, and whose operators the provider knows; it has to know its own address for that."""
    before = Console(url, desk.registry).start()
    before.stop()
    provider.now = time.time()
    started = Console(
        url,
        desk.registry,
        port=int(before.url.rpartition(":")[2]),
        url=before.url,
        secret_keys=KEY,
        oidc_issuer=provider.issuer,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=CLIENT_SECRET,
        oidc_roles="oncall=operator",
    ).start()
    yield started
    started.stop()


def test_a_second_factor_that_was_set_up_is_asked_for_from_then_on(
    enter: Enter, visit: Enter, console: Console, conn: Connection
) -> None:
    page = enter("dana", "/account/second-factor/new")
    phone = Phone(page.locator(".scan-key").inner_text())
    page.get_by_label("Code").last.fill(phone.code(now=datetime.now(UTC)))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    code = page.locator(".recovery li").first.inner_text()
    other = visit(console.link(conn, "dana", "operator"))
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="One more step")).to_be_visible()
    expect(other.get_by_label("Code")).to_be_focused()
    other.keyboard.type(code)
    other.keyboard.press("Enter")
    other.wait_for_url("/")
    signed_in(other, "dana")


def test_the_providers_word_signs_in_and_leads_to_the_page_that_was_asked_for(
    visit: Enter,
    watch: Watch,
    provider: IdentityProvider,
) -> None:
    watch.expect(f"another host was called: {provider.issuer}")
    page = visit("/queues", ignore_https_errors=True)
    page.get_by_role("link", name="Continue with single sign-on").click()
    page.wait_for_url("/queues")
    signed_in(page, "dana")
    page.reload()
    signed_in(page, "dana")
