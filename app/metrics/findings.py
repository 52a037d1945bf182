"""How bad each trouble is that the Overview tells, beside the limit from which on it does."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import Metric

from app.metrics.families import Labels, gauge
from worker.queries.pages.attention import KINDS, Seen, measure

OF_FINDING = ("finding",)
URGENT_WHEN_FAR = ("behind", "still")
"""What the Overview warns of first, and calls urgent only from a second limit on."""


def families(seen: Seen) -> Iterator[Metric]:
    """Both, for every kind: an alert compares the two, and so follows the settings."""
    worst: dict[Labels, float] = {(name,): value for name, value in measure(seen).items()}
    limits: dict[Labels, float] = {(kind.name,): kind.limit_in(seen.limits) for kind in KINDS}
    urgent: dict[Labels, float] = {(name,): seen.limits.finding_far_behind_seconds for name in URGENT_WHEN_FAR}
    says = "each in its unit, which /findings has: seconds, a number, a share"
    yield gauge("finding_worst", f"How bad each trouble is at worst, {says}.", worst, labels=OF_FINDING)
    yield gauge("finding_limit", f"From how much on it is told, {says}.", limits, labels=OF_FINDING)
    yield gauge("finding_urgent_limit", "From how much on it is urgent, where that is more.", urgent, labels=OF_FINDING)
