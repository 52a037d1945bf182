"""Families of gauges, and the arithmetic of the lines in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from prometheus_client.core import GaugeMetricFamily, Metric

Labels: TypeAlias = tuple[str, ...]
Line: TypeAlias = tuple[Labels, float]


def gauge(name: str, says: str, values: Mapping[Labels, float], *, labels: Sequence[str]) -> Metric:
    """A family with one line for each combination of its labels."""
    family = GaugeMetricFamily(f"watchfloor_{name}", says, labels=labels)
    for key, value in sorted(values.items()):
        family.add_metric(key, value)
    return family


def single(name: str, says: str, value: float) -> Metric:
    """A family of one line."""
    return gauge(name, says, {(): value}, labels=())


def summed(lines: Iterable[Line]) -> dict[Labels, float]:
    """One line for each combination, those of the same added up."""
    found: dict[Labels, float] = {}
    for labels, value in lines:
        found[labels] = found.get(labels, 0) + value
    return found


def greatest(lines: Iterable[Line]) -> dict[Labels, float]:
    """One line for each combination, the greatest of the same."""
    found: dict[Labels, float] = {}
    for labels, value in lines:
        found[labels] = max(found.get(labels, value), value)
    return found
