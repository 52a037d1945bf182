"""How bad each trouble is that the Overview tells, beside the limit from which on it does."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import Metric

from app.metrics.families import gauge
from worker.queries.pages.attention import KINDS, Seen, measure

OF_FINDING = ("finding",)


def families(seen: Seen) -> Iterator[Metric]:
    """Both, for every kind: an alert compares the two, and so follows the settings."""
    worst = {(name,): value for name, value in measure(seen).items()}
    limits = {(kind.name,): kind.limit_in(seen.limits) for kind in KINDS}
    says = "each in its unit, which /findings has: seconds, a number, a share"
    yield gauge("finding_worst", f"How bad each trouble is at worst, {says}.", worst, labels=OF_FINDING)
    yield gauge("finding_limit", f"From how much on it is told, {says}.", limits, labels=OF_FINDING)
