"""The ways in which an open page is looked at, and its picture in each."""

from __future__ import annotations

from typing import Literal, NamedTuple

from playwright.sync_api import Page

UNLIKE = ".error-page p .mono, .scan-code, .scan-key, .recovery li, [data-link]"
"""What no two runs have in common."""

AWAY = """() => {
  window.away = [...document.querySelectorAll(".held")].map((each) => [each, document.createComment("")]);
  for (const [each, mark] of window.away) each.replaceWith(mark);
}"""
BACK = "() => { for (const [each, mark] of window.away) mark.replaceWith(each); }"
"""That news are held back is said sooner in one run than in another, so it is on no picture."""

MOVING = 5
"""Pictures after which a page that still moves is taken as it is."""


class Look(NamedTuple):
    """Of a browser: its colours and how wide it is."""

    scheme: Literal["light", "dark"]
    width: int


LOOKS = {"narrow": Look("light", 420), "light": Look("light", 1440), "dark": Look("dark", 1440)}
"""In the order in which a page takes them on, which is opened on a phone."""


def put_on(page: Page, name: str = "narrow") -> None:
    """Show the page so, which neither loads anew nor forgets anything."""
    page.emulate_media(color_scheme=LOOKS[name].scheme)
    page.set_viewport_size({"width": LOOKS[name].width, "height": 900})


def picture(page: Page, name: str) -> bytes:
    """All of the page in one look, or what the window shows of it once a dialog lies above."""
    put_on(page, name)
    whole = page.locator("dialog[open]").count() == 0
    page.evaluate(AWAY)
    if whole:
        page.evaluate("scrollTo(0, 0)")
    masks = [page.locator(UNLIKE)]
    taken = page.screenshot(full_page=whole, animations="disabled", mask=masks, mask_color="grey")
    page.evaluate(BACK)
    return taken


def picture_at_rest(page: Page, name: str) -> bytes:
    """The picture once two in a row are the same: of a page that moves on, the one in which it stays."""
    before, taken = b"", picture(page, name)
    for _ in range(MOVING):
        if taken == before:
            break
        before, taken = taken, picture(page, name)
    return taken
