"""Cancelling: at once what waits, by request what runs."""

from __future__ import annotations

from uuid import UUID

from playwright.sync_api import Page, expect
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import trail
from tests.system.conftest import Enter, Hire
from tests.system.desk import PATIENCE_SECONDS, Desk

WHY = "The tenant closed its account"


def test_a_queued_job_is_cancelled_at_once(enter: Enter, desk: Desk, conn: Connection) -> None:
    job = desk.put(conn, "render_invoice").id
    page = enter("dana", f"/jobs/{job}")
    cancel(page)
    expect(page.get_by_role("status").filter(has_text="Cancelled 1 job")).to_be_visible()
    expect(page.locator("[data-state=cancelled]").first).to_be_visible()
    assert factories.stored(conn, job).status == "cancelled"
    assert acts(conn) == [("cancel", "dana", WHY, 1)]


def test_a_running_job_is_asked_to_stop_and_its_handler_hears_of_it(
    enter: Enter, hire: Hire, desk: Desk, conn: Connection
) -> None:
    job = desk.put(conn, "export_ledger").id
    hire()
    assert desk.began.wait(PATIENCE_SECONDS)
    page = enter("dana", f"/jobs/{job}")
    page.evaluate("window.never_left = true")
    cancel(page)
    expect(page.locator("[data-state=cancelled]").first).to_be_visible()
    assert desk.told_to_stop.is_set()
    assert ended(conn, job) == ("cancelled", ["cancelled"])
    assert acts(conn) == [("cancel", "dana", WHY, 1)]


def cancel(page: Page) -> None:
    """Press Cancel, say why, confirm."""
    page.get_by_role("main").get_by_role("link", name="Cancel").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill(WHY)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()


def ended(conn: Connection, job: UUID) -> tuple[str, list[str]]:
    """The job's status, and how its attempts ended."""
    return factories.stored(conn, job).status, [each.outcome for each in factories.attempts(conn, job)]


def acts(conn: Connection) -> list[tuple[str, str, str | None, int]]:
    """What operators did to jobs."""
    return [(each.action, each.actor, each.reason, each.jobs) for each in trail(conn) if each.jobs]
