"""The inbox of dead letters, and what is done with a group of them."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.system.seed.people import TIMED_OUT
from tests.system.views.view import View, focused, press


def open_snooze(page: Page) -> None:
    """Ask to snooze the group that lee has."""
    page.get_by_label("Selected group").get_by_role("link", name="Snooze").click()
    focused(page, "For some time")


VIEWS = {
    "dead-letters": View("/dead-letters", "Twelve invoices of one release, and two groups more."),
    "dead-letters-none": View("/dead-letters", "Nothing ever died.", "calm"),
    "snooze": View(f"/dead-letters?group={TIMED_OUT}", "For how long a group may be silent.", then=open_snooze),
    "replay": View("/dead-letters", "What a replay of twelve would do.", then=press("Replay 12", until="Why")),
    "cancel": View("/dead-letters", "What cancelling twelve would do.", then=press("Cancel 12", until="Why")),
}
