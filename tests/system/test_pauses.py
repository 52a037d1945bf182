"""Pausing a queue."""

from __future__ import annotations

from playwright.sync_api import expect
from sqlalchemy import Connection

from tests.app.conftest import trail
from tests.system.conftest import Enter, Hire
from tests.system.desk import Desk


def test_a_paused_queue_keeps_its_jobs_until_it_is_resumed(
    enter: Enter, hire: Hire, desk: Desk, conn: Connection
) -> None:
    desk.repaired.set()
    hire(worker_queues=("billing",))
    page = enter("dana", "/queues")
    page.get_by_role("row", name="billing").get_by_role("link", name="Pause").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("The template is being replaced")
    dialog.get_by_role("button", name="Pause").click()
    row = page.get_by_role("row", name="billing")
    expect(row).to_contain_text("Paused by dana")
    expect(row).to_contain_text("The template is being replaced")
    expect(dialog).to_be_hidden()

    desk.put(conn, "render_invoice")
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    row.get_by_role("link", name="Resume").click()
    dialog.get_by_role("button", name="Resume").click()
    expect(row.get_by_role("link", name="Pause")).to_be_visible()
    expect(row.get_by_role("cell").nth(1)).to_have_text("0")
    assert [(each.action, each.target, each.actor) for each in trail(conn) if "sign" not in each.action] == [
        ("pause", "billing", "dana"),
        ("resume", "billing", "dana"),
    ]
