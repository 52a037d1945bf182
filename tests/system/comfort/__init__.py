"""Whether a page is comfortable: one load, and many looks at it, each of which says in words what is wrong."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from tests.system.comfort import weight
from tests.system.looks import put_on

FOLDER = Path(__file__).parent
WIDTHS = (320, 768, 2560)
"""A small phone, a tablet, a wall."""
WALKED = ("narrow", "light")
"""The looks in which what has the focus may lie elsewhere."""


def movements(page: Page) -> list[str]:
    """What moves by itself, to be asked before anything else happens to the page."""
    return faults(page, "still")


def discomforts(page: Page) -> list[str]:
    """What is too heavy, has no name, is out of the way of the eye, or does not fit."""
    found = weight.faults(page) + faults(page, "words")
    for look in WALKED:
        put_on(page, look)
        found += [f"{look}: {fault}" for fault in faults(page, "focus")]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width} px: {fault}" for fault in faults(page, "fit")]
    return found


def faults(page: Page, look: str) -> list[str]:
    """What the look of that name finds wrong with the page as it is."""
    body = (FOLDER / "shared.js").read_text() + (FOLDER / f"{look}.js").read_text()
    found: list[str] = page.evaluate(f"async () => {{ {body} }}")
    return found
