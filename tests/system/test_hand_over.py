"""Handing over at the end of a shift: to the next person's eyes, to a channel, and on paper."""

from __future__ import annotations

import re

from playwright.sync_api import expect
from sqlalchemy import Connection

from tests.system.conftest import Enter
from worker.queries import queues
from worker.queries.audit import Actor


def test_a_shift_is_found_copied_kept_and_printed(enter: Enter, conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down")
    page = enter("dana", "/")
    page.get_by_role("link", name="Hand-over").click()
    expect(page.get_by_role("region", name="People")).to_contain_text("1 queue paused")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as text").click()
    assert "- mira: 1 queue paused" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("link", name="Link to this shift").click()
    expect(page).to_have_url(re.compile("until="))
    queues.resume(conn, queue="mail", actor=Actor("lee"))
    expect(page.get_by_role("region", name="Open now")).to_contain_text("Nothing is left open")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="Hand-over")).to_be_visible()
    for gone in (page.locator(".rail"), page.get_by_role("button", name="Show", exact=True)):
        expect(gone).to_be_hidden()
