"""Finding one job among many, looking into it, and running a copy that is put right."""

from __future__ import annotations

from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import trail
from tests.system.conftest import Enter
from tests.system.desk import Desk
from tests.system.watch import Watch

MINE = "/jobs?queue=payments&sort=created"
CARD = "4111 1111 1111 1111"


@pytest.fixture
def charge(desk: Desk, conn: Connection) -> UUID:
    """A job whose card is closed to the eye, among others."""
    desk.registry.job_types.register("charge_card", lambda job: None, queue="payments", redact=["card"], max_attempts=1)
    for number in range(3):
        desk.put(conn, "render_invoice", {"order": {"id": number}})
    return desk.put(conn, "charge_card", {"card": CARD, "order": {"id": 7}, "cents": 12345678901234567890123}).id


def test_a_job_is_found_looked_into_and_run_again_put_right(
    enter: Enter, conn: Connection, charge: UUID, watch: Watch
) -> None:
    watch.expect(" 400 ")
    page = enter("dana", "/jobs")
    find(page, "quue:payments")
    expect(page.get_by_role("alert")).to_have_text("quue: is nothing that jobs are searched by. Did you mean queue:?")
    page.keyboard.press("/")
    page.keyboard.press("End")
    page.keyboard.type(" payl")
    expect(page.locator("#job-words option")).to_have_attribute("value", "quue:payments payload.")
    find(page, "payload.order.id:7 age:<1h")
    page.get_by_role("link", name="charge_card").first.click()
    page.wait_for_url(f"/jobs/{charge}")
    reveal(page)
    copy = run_copy(page)
    assert factories.stored(conn, copy).payload == {"card": CARD, "order": {"id": 8}, "cents": 12345678901234567890123}
    expect(page.get_by_role("link", name=str(charge)[:8])).to_have_attribute("href", f"/jobs/{charge}")
    assert [row.action for row in trail(conn) if row.jobs] == ["reveal", "copy"]


def test_a_list_is_kept_by_name_and_come_back_to(enter: Enter, charge: UUID) -> None:
    page = enter("dana", MINE)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("link", name="Save this list").click()
    page.get_by_label("Name").fill("Payments, oldest first")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(MINE)
    page.goto("/jobs")
    page.get_by_role("button", name="Views").click()
    page.get_by_role("link", name="Payments, oldest first", exact=True).click()
    page.wait_for_url(MINE)
    expect(page.locator("[data-rows] > tr")).to_have_count(1)


def find(page: Page, words: str) -> None:
    """Search for something, from the keyboard."""
    page.keyboard.press("/")
    page.get_by_label("Search jobs").fill(words)
    page.keyboard.press("Enter")
    page.wait_for_load_state()


def reveal(page: Page) -> None:
    """Ask for what is closed, and say why."""
    payload = page.get_by_role("region", name="Payload")
    expect(payload.get_by_text("redacted")).to_be_visible()
    page.get_by_role("link", name="Reveal").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("A customer asks")
    dialog.get_by_role("button", name="Reveal").click()
    expect(dialog).to_be_hidden()
    expect(payload.get_by_text(CARD)).to_be_visible()


def run_copy(page: Page) -> UUID:
    """Put in a copy for another order; its id."""
    page.get_by_role("link", name="Edit and run a copy").click()
    dialog = page.get_by_role("dialog")
    text = dialog.get_by_label("Payload").input_value()
    assert CARD not in text
    dialog.get_by_label("Payload").fill(text.replace('"id": 7', '"id": 8'))
    dialog.get_by_label("Why").fill("The order had the wrong number")
    dialog.get_by_role("button", name="Run the copy").click()
    expect(page.get_by_text("Copy of", exact=True)).to_be_visible()
    return UUID(page.url.rpartition("/")[2])
