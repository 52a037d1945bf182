"""What a view is: a page in one state, and how a visitor comes to see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect


@dataclass(frozen=True)
class View:
    """A page of a scene, and in a sentence what it shows; `then` is what the visitor does before looking."""

    path: str
    says: str
    scene: str = "busy"
    visitor: str | None = "dana"
    then: Callable[[Page], None] | None = None
    complains: str = "nothing"


def press(name: str, *, until: str) -> Callable[[Page], None]:
    """Press the button or the link of that name, until the field of that label in the dialog has the focus."""

    def open_dialog(page: Page) -> None:
        page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.click()
        focused(page, until)

    return open_dialog


def focused(page: Page, label: str) -> None:
    """Wait for the field of the dialog that has the focus."""
    expect(page.get_by_role("dialog").get_by_label(label)).to_be_focused()
