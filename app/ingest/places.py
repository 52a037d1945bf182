"""Where in a dataset something was refused."""

from __future__ import annotations

from worker.errors import InvalidInput
from worker.failures import safe_text

_LONGEST_NAME_SHOWN = 100


def refused(problem: str, *, line: int, column: str | int | None = None) -> InvalidInput:
    """What to raise about that line, counted from 1; a column goes by its name, or by its number where it has none.

    The name may be none that would be taken, but whoever is told of it can read it.
    """
    named = "" if column is None else f", column {safe_text(str(column), _LONGEST_NAME_SHOWN)}"
    return InvalidInput(f"line {line}{named}", problem)
