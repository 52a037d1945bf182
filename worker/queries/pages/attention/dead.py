"""Dead letters, group by group; those asleep, mended or told elsewhere are left out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from worker.queries.group_states import GroupState
from worker.queries.pages.attention.kind import Item, Kind, Level, Unit
from worker.queries.pages.attention.seen import Seen
from worker.queries.pages.groups import Group
from worker.queries.pages.provisioning import PROVISION_TENANT
from worker.queries.pages.releases import before

GROWING = timedelta(hours=1)
"""A group that grew within this time is still happening."""
EXPLAINED_WITHIN = timedelta(minutes=15)
"""A group that began so soon after a release may have come with it."""
SHOWN = 3

_TOLD = (GroupState.NEW, GroupState.TAKEN)


def _find(seen: Seen) -> Iterator[Item]:
    figures = seen.figures
    told = [each for each in seen.groups if each.state in _TOLD and each.job_type != PROVISION_TENANT]
    urgency = sorted(told, key=lambda each: (not _grows(each, figures.at), each.assignee is not None, -each.jobs))
    many = max(_worst(seen), 1) >= seen.limits.finding_dead_per_hour
    for group in urgency[:SHOWN]:
        level: Level = "urgent" if many and _grows(group, figures.at) and not group.assignee else "warn"
        release = before(figures.releases, group.first_at, within=EXPLAINED_WITHIN)
        yield Item("dead", level, {"of": group, "release": release})
    elsewhere = sum(each.jobs for each in (*urgency[:SHOWN], *(each for each in seen.groups if each not in told)))
    if (rest := figures.dead - elsewhere) > 0:
        others = urgency[SHOWN:]
        yield Item("more_dead", "warn", {"groups": len(others), "jobs": rest}, things=max(len(others), 1))


def _grows(group: Group, now: datetime) -> bool:
    return now - group.last_at < GROWING


def _worst(seen: Seen) -> float:
    """How many died within the hour."""
    return sum(minute.died for minute in seen.figures.hour.minutes)


KIND = Kind("dead", "Dead letters within an hour", Unit.NUMBER, "finding_dead_per_hour", _find, _worst)
