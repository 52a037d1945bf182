"""A payload as a tree to fold: short containers on one line, the rest open as far as a screen reaches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.payload_parts import Part

MOST_LINES = 600
"""Lines of a tree; a longer payload is shown as text."""
_MOST_AT_WORK = 4 * MOST_LINES
"""The same while short and deep containers are not yet on one line."""
_DEEPEST, _OPEN_TO, _OPEN_LINES, _SHORT = 12, 3, 30, 60


@dataclass(frozen=True, slots=True)
class Line:
    """A value on a line of its own, or the beginning or the end of what folds; `items` are those directly within."""

    part: Part
    items: int = 0
    is_open: bool = False


def of(parts: Iterable[Part]) -> list[Line] | None:
    """The lines of the tree; None when there are too many, or nothing to fold."""
    lines: list[Line] = []
    begun: list[int] = []
    for part in parts:
        if part.kind == "close":
            _close(lines, begun, part)
            continue
        lines.append(Line(part))
        if part.kind == "open":
            begun.append(len(lines) - 1)
        if len(lines) > _MOST_AT_WORK:
            return None
    while begun:
        _close(lines, begun, Part("close", None, ""))
    return lines if len(lines) <= MOST_LINES and any(line.part.kind == "open" for line in lines) else None


def _close(lines: list[Line], begun: list[int], part: Part) -> None:
    """End the container that began last: on one line where it is short, or too deep to fold, and not the whole."""
    if not begun:
        return
    start = begun.pop()
    head, inside = lines[start].part, lines[start + 1 :]
    text = _one_line(head, inside, part)
    plain = bool(begun) and all(line.part.kind == "value" and not line.part.closed for line in inside)
    if plain and (len(text) <= _SHORT or len(begun) >= _DEEPEST):
        lines[start:] = [Line(Part("value", head.key, text))]
        return
    is_open = not begun or (len(begun) < _OPEN_TO and len(inside) <= _OPEN_LINES)
    lines[start] = replace(lines[start], items=_items(inside), is_open=is_open)
    lines.append(Line(part))


def _one_line(head: Part, inside: Sequence[Line], end: Part) -> str:
    named = (f"{line.part.key}: {line.part.text}" if line.part.key else line.part.text for line in inside)
    return f"{head.text}{', '.join(named)}{end.text}"


def _items(inside: Sequence[Line]) -> int:
    depth = items = 0
    for line in inside:
        items += depth == 0 and line.part.kind != "close"
        depth += (line.part.kind == "open") - (line.part.kind == "close")
    return items
