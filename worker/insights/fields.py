"""What can be said of one field."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from typing import Any

from worker.insights.cells import Field, Value, is_number
from worker.insights.numbers import number_facts

TOP = 10
LONGEST_SHOWN = 200


def field_facts(field: Field) -> dict[str, Any]:
    """The facts of a field, as they are stored and shown.

    `type` the kind of its values; `count` how many there are; `missing` in how many rows there is none; `distinct` how
    many different ones; `top` the most frequent with their counts, among equals the least first. Fields of numbers
    also have `quantiles`, `mean` and `histogram` (see `numbers`).
    """
    values = field.values()
    counts = Counter(_identity(value) for value in values)
    facts: dict[str, Any] = {
        "type": str(field.kind),
        "count": len(values),
        "missing": len(field.cells) - len(values),
        "distinct": len(counts),
        "top": [{"value": _shown(value), "count": count} for (_, value), count in _top(counts.items())],
    }
    if field.is_numeric:
        facts |= number_facts([value for value in values if is_number(value)])
    return facts


def _identity(value: Value) -> tuple[int, Any]:
    """Equal for equal values: 1 is 1.0, but not true, which Python takes for 1; booleans come first, texts last."""
    if isinstance(value, bool):
        return 0, value
    return (2 if isinstance(value, str) else 1), value


def _top(counts: Iterable[tuple[tuple[int, Any], int]]) -> list[tuple[tuple[int, Any], int]]:
    return heapq.nsmallest(TOP, counts, key=lambda item: (-item[1], item[0]))


def _shown(value: Value) -> Value:
    return value[: LONGEST_SHOWN - 1] + "…" if isinstance(value, str) and len(value) > LONGEST_SHOWN else value
