"""A quarter of a tenant's orders as CSV: numbers that hang together, gaps, and something to predict."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

NAME = "orders-2026-q3"
TARGET = "returned"
ROWS = 400
_HEADER = "amount_eur,region,shipping_days,channel,items,weight_kg,returned"
_REGIONS = ("dublin", "oregon", "frankfurt", "sydney")
_CHANNELS = ("web", "web", "web", "phone", "market")


def csv_of(slug: str) -> str:
    """The same orders whenever the same tenant is asked for."""
    return "\n".join([_HEADER, *_lines(Random(slug))]) + "\n"  # noqa: S311 - orders that nobody placed


def _lines(random: Random) -> Iterator[str]:
    for _ in range(ROWS):
        region, items = random.choice(_REGIONS), 1 + int(random.expovariate(0.45))
        weight = items * random.uniform(0.4, 1.6)
        amount = items * random.lognormvariate(3.1, 0.5)
        days = 1 + int(random.expovariate(0.5)) + (4 if region == "sydney" else 0)
        returned = "yes" if random.random() < (0.55 if days > 6 else 0.06) else "no"
        kilograms = "" if random.random() < 0.04 else f"{weight:.2f}"  # nobody weighed it
        yield f"{amount:.2f},{region},{days},{random.choice(_CHANNELS)},{items},{kilograms},{returned}"
