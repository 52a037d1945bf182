"""A QR code as the path of an SVG: a picture that needs no address, no script and no style."""

from __future__ import annotations

from dataclasses import dataclass

import segno

BORDER = 4
"""Cells of quiet around the code, which scanners need."""


@dataclass(frozen=True, slots=True)
class Picture:
    """`path` draws the dark cells, each one unit large, in a square of `side` units."""

    path: str
    side: int


def drawn(text: str) -> Picture:
    """The text to scan."""
    rows = [bytes(row) for row in segno.make_qr(text, error="l").matrix]
    runs = (run for y, row in enumerate(rows) for run in _runs(row, y))
    return Picture("".join(runs), len(rows) + 2 * BORDER)


def _runs(row: bytes, y: int) -> list[str]:
    """One rectangle for each run of dark cells."""
    found, start = [], None
    for x, dark in enumerate((*row, 0)):
        if dark and start is None:
            start = x
        elif not dark and start is not None:
            found.append(f"M{start + BORDER} {y + BORDER}h{x - start}v1h-{x - start}z")
            start = None
    return found
