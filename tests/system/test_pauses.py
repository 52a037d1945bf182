"""Pausing a queue, and who may."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from sqlalchemy import Connection

from tests.app.conftest import trail
from tests.system.conftest import Enter, Hire
from tests.system.console import Console
from tests.system.desk import Desk
from tests.system.watch import Watch
from worker.queries import queues


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


def test_a_viewer_sees_no_button_and_a_forged_post_is_refused(
    enter: Enter, hire: Hire, console: Console, conn: Connection, watch: Watch
) -> None:
    watch.expect(" 403 ")
    hire(worker_queues=("billing",))
    page = enter("max", "/queues", role="viewer")
    expect(page.get_by_role("row", name="billing")).to_be_visible()
    expect(page.get_by_role("link", name="Pause")).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("button", disabled=False)).to_have_count(0)

    assert forged(page, "/queues/billing/pause", {"reason": "because"}) == 403
    assert queues.paused(conn) == {}
    refusal = trail(conn)[-1]
    assert (refusal.actor, refusal.action, refusal.outcome) == ("max", "pause", "refused")


def forged(page: Page, path: str, fields: dict[str, str]) -> int:
    """The status of a POST that no button of the page would send."""
    script = "([path, fields]) => fetch(path, {method: 'POST', body: new URLSearchParams(fields)}).then(r => r.status)"
    status: int = page.evaluate(script, [path, fields])
    return status
