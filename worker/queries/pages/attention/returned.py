"""Groups of dead letters that were put aside and came back by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from worker.queries.group_states import GroupState
from worker.queries.pages.attention.kind import Item, Kind, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.groups import Group


def _groups(seen: Seen) -> list[Group]:
    return [each for each in seen.groups if each.state == GroupState.RETURNED]


def _find(seen: Seen) -> Iterator[Item]:
    for group in sorted(_groups(seen), key=lambda each: -each.jobs):
        yield Item("returned", "warn" if group.assignee else "urgent", {"of": group})


def _worst(seen: Seen) -> float:
    """How many have."""
    return len(_groups(seen))


KIND = Kind("returned", "Errors that came back", Unit.NUMBER, 1, _find, _worst)
