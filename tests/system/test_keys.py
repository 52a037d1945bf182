"""The inbox without a mouse: three keys from the page to the right replay, and a key for everything else."""

from __future__ import annotations

import re
from datetime import timedelta

from playwright.sync_api import Page, expect
from sqlalchemy import Connection, func, select

from tests import factories
from tests.system.conftest import Enter
from worker.model import Status
from worker.queries.pages import groups
from worker.queries.schema import platform_jobs

ERRORS = ("TimeoutError", "KeyError", "ValueError")


def die(conn: Connection) -> None:
    """One dead letter of the first error, two of the second, three of the third; the first died last."""
    now = conn.execute(select(func.now())).scalar_one()
    for number, error in enumerate(ERRORS, start=1):
        for _ in range(number):
            at = now - timedelta(minutes=number)
            said = {"error_type": error, "error_summary": "no luck", "error_fingerprint": error[0].lower() * 16}
            factories.job(conn, status=Status.FAILED, finished_at=at, **said)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_three_keys_lead_from_the_page_to_the_replay_of_another_group_than_the_open_one(
    enter: Enter, conn: Connection
) -> None:
    die(conn)
    page = enter("dana", "/dead-letters")
    press(page, "j", "r")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text(re.compile("Replay 2"))
    expect(dialog.locator(":focus")).to_have_count(1)
    press(page, "Enter")
    expect(page.locator("#toasts .toast").first).to_contain_text("Replayed 2 jobs.")
    queued = select(platform_jobs.c.error_type, platform_jobs.c.replays).where(platform_jobs.c.status == "queued")
    assert conn.execute(queued).all() == [(None, 1), (None, 1)]
    assert [each.error_type for each in groups.read(conn)] == ["TimeoutError", "ValueError"]


def test_the_open_group_is_seen_to_by_keys_and_no_key_acts_on_one_that_is_not_open(
    enter: Enter, conn: Connection
) -> None:
    die(conn)
    page = enter("dana", "/dead-letters")
    press(page, "t")
    expect(page.get_by_label("Selected group")).to_contain_text("dana has it")
    press(page, "s")
    expect(page.get_by_role("heading", name="Snooze this group")).to_be_visible()
    press(page, "Escape", "?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    expect(page.locator("#keys").get_by_text("Close", exact=True)).to_be_in_viewport(ratio=1)
    press(page, "Escape", "l", "x")
    expect(page.get_by_text("1 selected")).to_be_visible()
    press(page, "Escape", "j", "j", "e")
    expect(page.get_by_role("heading", name=re.compile("ValueError"))).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    press(page, "e")
    expect(page.get_by_role("heading", name="Resolve this group")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_label("Selected group")).to_contain_text("Resolved by dana")
    states = {each.error_type: each.state for each in groups.read(conn)}
    assert states == {"TimeoutError": "taken", "KeyError": "new", "ValueError": "resolved"}


def test_what_was_just_done_is_undone_by_a_key_and_a_queue_is_paused_from_its_row(
    enter: Enter, conn: Connection
) -> None:
    die(conn)
    factories.job(conn, queue="mail")
    page = enter("dana", "/dead-letters")
    press(page, "r")
    expect(page.get_by_role("dialog").locator(":focus")).to_have_count(1)
    press(page, "Enter")
    expect(page.locator("#toasts .toast").first).to_contain_text("Replayed 1 job.")
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, "u")
    expect(page.locator("#toasts .toast").first).to_contain_text("Undone: 1 job is as it was")
    page.goto(page.url.partition("/dead-letters")[0] + "/queues")
    press(page, "j", "q")
    expect(page.get_by_role("heading", name=re.compile("^Pause "))).to_be_visible()
