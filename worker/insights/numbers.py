"""Where the numbers of a field lie: quantiles, mean and a histogram, computed exactly and rounded once at the end."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from worker.insights.cells import Number

BINS = 12
QUANTILES = {
    "min": Fraction(0),
    "p05": Fraction(1, 20),
    "p25": Fraction(1, 4),
    "p50": Fraction(1, 2),
    "p75": Fraction(3, 4),
    "p95": Fraction(19, 20),
    "max": Fraction(1),
}


def number_facts(values: Sequence[Number]) -> dict[str, Any]:
    """`quantiles`, `mean` and `histogram` of at least one number."""
    ordered = sorted(values)
    return {
        "quantiles": {name: quantile(ordered, share) for name, share in QUANTILES.items()},
        "mean": statistics.mean(ordered),
        "histogram": histogram(ordered),
    }


def quantile(ordered: Sequence[Number], share: Fraction) -> Number:
    """The value at the place share × (n − 1) of n values in ascending order, linear between its two neighbours."""
    place = share * (len(ordered) - 1)
    below = ordered[int(place)]
    rest = place - int(place)
    if not rest or below == (above := ordered[int(place) + 1]):
        return below
    return _plain(Fraction(below) + (Fraction(above) - Fraction(below)) * rest)


def histogram(ordered: Sequence[Number], *, bins: int = BINS) -> dict[str, list[Number]]:
    """Counts between `edges`, which divide the way from the least value to the greatest equally.

    Bin i holds the values from edges[i] up to but without edges[i + 1]; the last one holds the greatest too. Values
    that are all alike have one bin, whose edges are the same; so close together that the edges between them cannot be
    told apart, they have fewer bins.
    """
    least, greatest = ordered[0], ordered[-1]
    if least == greatest:
        return {"edges": [least, greatest], "counts": [len(ordered)]}
    edges = _edges(least, greatest, bins)
    places = [0, *(bisect_left(ordered, edge) for edge in edges[1:-1]), len(ordered)]
    return {"edges": edges, "counts": [after - before for before, after in pairwise(places)]}


def _edges(least: Number, greatest: Number, bins: int) -> list[Number]:
    width = (Fraction(greatest) - Fraction(least)) / bins
    edges = [least]
    for ordinal in range(1, bins):
        edge = _plain(Fraction(least) + width * ordinal)
        if edges[-1] < edge < greatest:
            edges.append(edge)
    return [*edges, greatest]


def _plain(exact: Fraction) -> Number:
    return exact.numerator if exact.denominator == 1 else float(exact)
