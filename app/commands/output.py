"""How a command answers: one JSON document, or aligned text."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import click

from app.text import cell

_COLOURS = {
    "ok": "green",
    "live": "green",
    "succeeded": "green",
    "running": "blue",
    "retrying": "yellow",
    "paused": "yellow",
    "draining": "yellow",
    "dead letter": "red",
    "failed": "red",
    "silent": "red",
    "cancelled": "bright_black",
    "stopped": "bright_black",
    "disabled": "bright_black",
}
_NARROWEST = 12


def say(text: str) -> None:
    """Print to standard output; colours only on a terminal, and never with NO_COLOR."""
    click.echo(text, color=False if os.environ.get("NO_COLOR") else None)


def document(value: Any) -> str:
    """The value as JSON in ASCII, which is safe in any pipe and on any terminal."""
    return json.dumps(value, default=_plain, indent=2, allow_nan=False)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Aligned columns, numbers to the right; on a terminal the last one is cut where its line would wrap."""
    values = [list(row) for row in rows]
    cells = [[cell(value) for value in row] for row in values]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    widths[-1] = min(widths[-1], _room(widths[:-1]))
    numbers = [all(isinstance(row[index], int | float) for row in values) for index in range(len(headings))]
    lines = [[click.style(text, bold=True) for text in _fitted(headings, widths, numbers)]]
    lines += [[_coloured(text) for text in _fitted(row, widths, numbers)] for row in cells]
    return "\n".join("  ".join(line) for line in lines)


def facts(pairs: Mapping[str, object]) -> str:
    """Names and values under each other; what is not known is left out."""
    known = {name: value for name, value in pairs.items() if value not in (None, "", (), [])}
    width = max(map(len, known), default=0)
    return "\n".join(f"{name:<{width}}  {_coloured(cell(value))}" for name, value in known.items())


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _fitted(texts: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> list[str]:
    fitted = []
    for text, width, number in zip(texts, widths, numbers, strict=True):
        shown = text if len(text) <= width else f"{text[: width - 1]}…"
        fitted.append(f"{shown:>{width}}" if number else f"{shown:<{width}}")
    return [*fitted[:-1], fitted[-1].rstrip()]


def _coloured(text: str) -> str:
    colour = _COLOURS.get(text.strip())
    return click.style(text, fg=colour) if colour else text


def _room(widths: Sequence[int]) -> int:
    if not sys.stdout.isatty():
        return sys.maxsize
    return max(_NARROWEST, shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
