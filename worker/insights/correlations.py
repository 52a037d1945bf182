"""How the numeric fields of a dataset go together: Pearson's r for each pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from operator import mul
from typing import Any

from worker.insights.cells import Cell, Field, Number, is_number

MOST_FIELDS = 24
"""The pairs grow with the square of the fields, so the first so many of a wide dataset are looked at."""

_SMALLEST_SPAN = 1e-290


def correlation_facts(fields: Sequence[Field], *, between: Callable[[], object]) -> dict[str, Any]:
    """`pairs` with their `r` over the `rows` where both have a value, the strongest first.

    A pair without an r is left out: fewer than two rows, or one of the two the same in all of them. `left_out` counts
    the numeric fields beyond the first 24. Between two pairs it calls `between`, which may raise.
    """
    numeric = [field for field in fields if field.is_numeric]
    found = _pairs([_Numbers(each) for each in numeric[:MOST_FIELDS]], between)
    pairs = sorted(found, key=lambda pair: -abs(pair["r"]))
    return {"pairs": pairs, "left_out": max(0, len(numeric) - MOST_FIELDS)}


def correlation(left: Sequence[Number], right: Sequence[Number]) -> float | None:
    """Pearson's r of two rows of numbers; None when it is not defined."""
    return _product(_unit(left), _unit(right))


@dataclass(frozen=True)
class _Numbers:
    field: Field

    @cached_property
    def is_complete(self) -> bool:
        return None not in self.field.cells

    @cached_property
    def unit(self) -> list[float] | None:
        return _unit(_numbers(self.field.cells))


def _pairs(fields: Sequence[_Numbers], between: Callable[[], object]) -> Iterator[dict[str, Any]]:
    for left, right in combinations(fields, 2):
        between()
        rows, r = _together(left, right)
        if r is not None:
            yield {"fields": [left.field.name, right.field.name], "rows": rows, "r": r}


def _together(left: _Numbers, right: _Numbers) -> tuple[int, float | None]:
    if left.is_complete and right.is_complete:
        return len(left.field.cells), _product(left.unit, right.unit)
    both = [pair for pair in zip(left.field.cells, right.field.cells, strict=True) if None not in pair]
    return len(both), correlation(_numbers([pair[0] for pair in both]), _numbers([pair[1] for pair in both]))


def _numbers(cells: Sequence[Cell]) -> list[Number]:
    return [cell for cell in cells if is_number(cell)]


def _product(left: list[float] | None, right: list[float] | None) -> float | None:
    if left is None or right is None:
        return None
    return max(-1.0, min(1.0, math.fsum(map(mul, left, right))))


def _unit(values: Sequence[Number]) -> list[float] | None:
    """The values less their mean, as a vector of length one; None where they are all alike.

    They are moved near zero and scaled first, so that neither 10**20 + 1 nor 1e-300 nor 1e300 loses what matters.
    """
    if not values or min(values) == max(values):
        return None
    near = _near_zero(values)
    mean = math.fsum(near) / len(near)
    distances = [value - mean for value in near]
    length = math.sqrt(math.fsum(map(mul, distances, distances)))
    return [distance / length for distance in distances]


def _near_zero(values: Sequence[Number]) -> list[float]:
    """How far each is from the one in the middle, as a share of the longest such way."""
    middle = sorted(values)[len(values) // 2]
    ways = [value - middle for value in values]
    if _SMALLEST_SPAN < (longest := max(map(abs, ways))) < math.inf:
        return [way / longest for way in ways]
    exact = [Fraction(value) - Fraction(middle) for value in values]
    span = max(map(abs, exact))
    return [float(way / span) for way in exact]
