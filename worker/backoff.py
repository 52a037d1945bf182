"""How long to wait before the next attempt: one formula, two policies."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """`min(cap, base * 2 ** (min(attempts, exponent_cap) - 1))` seconds, with or without equal jitter."""

    base_seconds: float
    cap_seconds: float
    exponent_cap: int
    jitter: bool

    def delay(self, attempts: int, *, draw: Callable[[], float] = random.random) -> float:
        """Seconds until the attempt after number `attempts`; with jitter between half and the whole of it (S2-49)."""
        whole = min(self.cap_seconds, self.base_seconds * 2.0 ** (min(max(attempts, 1), self.exponent_cap) - 1))
        return whole / 2 * (1 + draw()) if self.jitter else whole


DIRECT = Backoff(base_seconds=2, cap_seconds=300, exponent_cap=8, jitter=False)
"""S1-104: 2, 4, 8 … 256 seconds; the cap of 300 is never reached (S1-105)."""


def event_backoff(base_seconds: float, cap_seconds: float) -> Backoff:
    """The policy of event jobs (S2-47 to S2-50): doubling from the base to the cap, with equal jitter."""
    return Backoff(base_seconds=base_seconds, cap_seconds=cap_seconds, exponent_cap=31, jitter=True)
