"""Where in a dataset something was refused."""

from __future__ import annotations

from worker.errors import InvalidInput


def refused(problem: str, *, line: int, column: str | int | None = None) -> InvalidInput:
    """What to raise about that line, counted from 1; a column goes by its name, or by its number where it has none."""
    named = "" if column is None else f", column {column}"
    return InvalidInput(f"line {line}{named}", problem)
