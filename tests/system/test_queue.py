"""Looking at one queue, and acting on it there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect
from sqlalchemy import Connection

from tests.system.conftest import Enter
from tests.system.desk import Desk
from tests.worker.queries.pages.rows import minute


def test_charts_say_what_the_pointer_is_on_and_nothing_moves(enter: Enter, conn: Connection) -> None:
    now = datetime.now(UTC)
    for ago in range(5, 30):
        minute(conn, now - timedelta(minutes=ago), queue="billing", runs={100: 7}, wait_1000=7, jobs=7)
    page = enter("dana", "/queues/billing")
    charts = page.locator(".chart")
    throughput, waits = charts.first, charts.last
    before = [each.bounding_box() for each in charts.all()]
    throughput.locator(".slots > *").nth(45).hover()
    expect(throughput.locator(".tip:visible")).to_contain_text("7 completed")
    expect(waits.locator(".tip:visible")).to_contain_text("95% within 965 ms")
    assert [each.bounding_box() for each in charts.all()] == before
    page.get_by_role("heading", name="billing").hover()
    expect(page.locator(".tip:visible")).to_have_count(0)
    page.get_by_text("The figures of the four charts").click()
    expect(page.get_by_role("columnheader", name="Wait p95")).to_be_visible()
    page.get_by_role("link", name="7 d").click()
    expect(page.get_by_role("link", name="7 d")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("heading", name="Last week")).to_be_visible()


def test_a_queue_is_paused_and_resumed_on_its_page(enter: Enter, desk: Desk, conn: Connection) -> None:
    desk.put(conn, "render_invoice")
    page = enter("dana", "/queues/billing")
    expect(page.get_by_role("region", name="Why jobs wait")).to_contain_text("no live worker")
    page.get_by_role("link", name="Pause").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("The template is being replaced")
    dialog.get_by_role("button", name="Pause").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text("Paused until")).to_be_visible()
    expect(page.get_by_role("region", name="Why jobs wait")).to_contain_text("until the queue is resumed")
    page.get_by_role("link", name="Resume").click()
    dialog.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("link", name="Pause")).to_be_visible()
