"""Where the focus goes: past the rail at the first key, round within a dialog, and back to what opened it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.system.scenes import Scenes

INSIDE = "document.activeElement === document.body || document.activeElement.closest('dialog[open]') !== null"


def test_the_focus_skips_the_rail_stays_in_a_dialog_and_comes_back(scenes: Scenes) -> None:
    page = scenes.shared("busy").page("dana")
    page.goto("/dead-letters")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")

    opener = page.get_by_role("button", name="Replay 12")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(INSIDE)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(opener).to_be_focused()
    page.close()
