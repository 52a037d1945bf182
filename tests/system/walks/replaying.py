"""The invoices died of one release: somebody replays them, one first, and takes it back."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.scenes import Scene
from tests.system.walks.walk import Step, Walk

WHY = "Template invoice_v3 shipped in 2026.11.4"


def ask(page: Page, scene: Scene) -> None:
    """Choose the pace and say why."""
    page.get_by_role("button", name="Replay 12").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("One first, then the rest").check()
    dialog.get_by_label("Why").fill(WHY)


def confirm(page: Page, scene: Scene) -> None:
    """Let it begin."""
    page.get_by_role("dialog").get_by_role("button", name="Replay 12").click()
    page.wait_for_url("**/acts/*")
    expect(page.get_by_role("heading", name="Replay of 12 jobs")).to_be_visible()


def abort(page: Page, scene: Scene) -> None:
    """Think better of it."""
    page.get_by_role("main").get_by_role("button", name="Abort").click()
    expect(page.get_by_text("Aborted by dana")).to_be_visible()


def undo(page: Page, scene: Scene) -> None:
    """Replay all of them at once, and take it back from the toast."""
    page.goto("/dead-letters")
    page.get_by_role("button", name="Replay 12").click()
    page.get_by_role("dialog").get_by_role("button", name="Replay 12").click()
    expect(page.locator("#toasts")).to_contain_text("Replayed 12 jobs.")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("Undone")
    page.locator("#toasts .toast").last.evaluate("toast => { toast.dataset.toast = 600; }")
    expect(page.get_by_text("14 jobs in 3 groups")).to_be_visible()


WALK = Walk(
    "A replay: asked for, begun, aborted; and one that is taken back",
    "/dead-letters",
    (
        Step("replaying-asked", "What it would do, at which pace, and why.", ask),
        Step("replaying-begun", "The act has a page of its own; the first of twelve has to pass.", confirm),
        Step("replaying-aborted", "Aborted: the others are as they were.", abort),
        Step("replaying-undone", "Another, of all at once, was taken back from its toast.", undo),
    ),
)
