"""What a page's table says, as text."""

from __future__ import annotations

import re


def cells(text: str) -> list[list[str]]:
    """The text of the cells of each row that has an id."""
    rows = re.findall(r"<tr id=.*?</tr>", text, re.DOTALL)
    return [[plain(cell) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)] for row in rows]


def plain(markup: str) -> str:
    """The text of a piece of markup, on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())
