"""What needs a person now, the most urgent first: facts only, the sentences are the template's.

Each kind of trouble is a module: what it finds, and how bad it is at worst, which is kept once a minute.
"""

from __future__ import annotations

from collections.abc import Iterable

from worker.queries.pages.attention import (
    behind,
    clock,
    dead,
    hung,
    idle_duty,
    late,
    paused,
    provisioning,
    relay_failing,
    returned,
    silent,
    slower,
    still,
    stuck,
    transaction,
    unreaped,
    unrelayed,
    unserved,
    unsubscribed,
)
from worker.queries.pages.attention.kind import LEVELS, Item, Kind, Level, Unit
from worker.queries.pages.attention.seen import Limits, Seen

__all__ = (
    "KINDS",
    "LEVELS",
    "Item",
    "Kind",
    "Level",
    "Limits",
    "Seen",
    "Unit",
    "elsewhere",
    "measure",
    "people",
    "read",
)

SHOWN_OF_A_KIND = 3

KINDS: tuple[Kind, ...] = (
    unserved.KIND,
    returned.KIND,
    dead.KIND,
    hung.KIND,
    unreaped.KIND,
    idle_duty.KIND,
    unrelayed.KIND,
    relay_failing.KIND,
    unsubscribed.KIND,
    provisioning.KIND,
    stuck.KIND,
    still.KIND,
    behind.KIND,
    silent.KIND,
    transaction.KIND,
    clock.KIND,
    late.KIND,
    slower.KIND,
    paused.KIND,
)
"""Every kind, in the order in which those of one level are told."""


def read(seen: Seen) -> list[Item]:
    """Everything that asks for a person, and below it what should only not be forgotten.

    In what one tenant has, its own trouble alone; for the rest, see `elsewhere`.
    """
    kinds = (kind for kind in KINDS if seen.tenant_id is None or not kind.whole)
    kept = [item for kind in kinds for item in _few(kind.name, list(kind.find(seen)))]
    return sorted(kept, key=lambda item: LEVELS.index(item.level))


def elsewhere(seen: Seen) -> int:
    """How many things of the system as a whole need a person, which are not told as one tenant's."""
    if seen.tenant_id is None:
        return 0
    return people(item for kind in KINDS if kind.whole for item in kind.find(seen))


def measure(seen: Seen) -> dict[str, float]:
    """How bad each kind is at worst, whatever the limits are."""
    return {kind.name: float(kind.worst(seen)) for kind in KINDS}


def people(items: Iterable[Item]) -> int:
    """How many things need a person."""
    return sum(item.things for item in items if item.level != "info")


def _few(kind: str, items: list[Item]) -> list[Item]:
    """The first few of a kind, and one line for the rest."""
    rest = items[SHOWN_OF_A_KIND:]
    if len(rest) < 2:
        return items
    more = Item(f"more_{kind}", rest[0].level, len(rest), things=len(rest))
    return [*items[:SHOWN_OF_A_KIND], more]
