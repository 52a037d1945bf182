"""Tenants whose provisioning failed, was cancelled or is tried again."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.provisioning import STOPPED


def _find(seen: Seen) -> Iterator[Item]:
    shown, _ = seen.in_flight
    for each in shown:
        if each.stage in STOPPED:
            yield Item("provisioning", "warn" if each.next_try_at else "urgent", each)


def _worst(seen: Seen) -> float:
    """How many are not tried again by themselves."""
    shown, _ = seen.in_flight
    return sum(each.stage in STOPPED and each.next_try_at is None for each in shown)


KIND = Kind("provisioning", "Provisioning that has stopped", Unit.NUMBER, 1, _find, _worst)
