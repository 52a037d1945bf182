"""What needs a person now, the most urgent first: facts only, the sentences are the template's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Literal

from sqlalchemy import Connection, select

from worker.database import moment
from worker.queries.pages import fleet, groups, loads
from worker.queries.pages.figures import Figures
from worker.queries.pages.groups import Group
from worker.queries.pages.loads import Load, Pace
from worker.queries.pages.provisioning import PROVISION_TENANT, STOPPED, Provisioning
from worker.queries.schema import dead_letter_groups

Level = Literal["urgent", "warn", "info"]
LEVELS = ("urgent", "warn", "info")

GROWING = timedelta(hours=1)
"""A group of dead letters that grew within this time is still happening."""
UNSERVED_AFTER = timedelta(seconds=30)
UNREAPED_AFTER = timedelta(minutes=2)
OUTBOX_LATE_AFTER = timedelta(minutes=1)
BEHIND_AFTER, FAR_BEHIND_AFTER = timedelta(minutes=2), timedelta(minutes=15)
SLOW_TO_CLEAR_SECONDS = 600
LONG_TRANSACTION = timedelta(minutes=5)
SHOWN_OF_A_KIND = 3

SNOOZED = select(dead_letter_groups.c.fingerprint).where(dead_letter_groups.c.snoozed_until > moment())


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at; `kind` chooses the sentence, `facts` are what it tells, `things` how many it stands for."""

    kind: str
    level: Level
    facts: Any
    things: int = 1


def read(
    conn: Connection, figures: Figures, *, in_flight: Iterable[Provisioning], max_runtime: timedelta
) -> list[Item]:
    """Everything that asks for a person, and below it what should only not be forgotten."""
    found = [
        *_unserved(conn, figures),
        *_dead(conn, figures),
        *_hung(figures, max_runtime),
        *_unreaped(figures),
        *_outbox(figures),
        *_stopped(in_flight),
        *_behind(figures),
        *_silent(figures),
        *_transaction(figures),
        *_paused(figures),
    ]
    kept = [item for kind, items in groupby(found, key=lambda item: item.kind) for item in _few(kind, list(items))]
    return sorted(kept, key=lambda item: LEVELS.index(item.level))


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


def _unserved(conn: Connection, figures: Figures) -> Iterator[Item]:
    waiting = [each for each in figures.unserved if figures.at - each.since >= UNSERVED_AFTER]
    if waiting and not figures.live:
        yield Item("nobody", "urgent", {"ready": figures.ready, "since": waiting[0].since})
        return
    last = fleet.last_able(conn, job_types=[each.job_type for each in waiting]) if waiting else {}
    for each in waiting:
        elsewhere = [worker for worker in figures.live if each.job_type in worker.job_types]
        yield Item("unserved", "urgent", {"of": each, "last": last.get(each.job_type), "elsewhere": elsewhere})


def _dead(conn: Connection, figures: Figures) -> Iterator[Item]:
    """Group by group; those snoozed, and those told as their tenants' provisioning, are left out."""
    if not figures.dead:
        return
    found = groups.read(conn, now=figures.at)
    asleep = set(conn.execute(SNOOZED, {"at_now": figures.at}).scalars())
    told = [each for each in found if each.job_type != PROVISION_TENANT and each.fingerprint not in asleep]
    urgency = sorted(told, key=lambda each: (not _grows(each, figures.at), each.assignee is not None, -each.jobs))
    for group in urgency[:SHOWN_OF_A_KIND]:
        level: Level = "urgent" if _grows(group, figures.at) and not group.assignee else "warn"
        yield Item("dead", level, {"of": group, "release": _release(figures, group.first_at)})
    elsewhere = sum(each.jobs for each in (*urgency[:SHOWN_OF_A_KIND], *(each for each in found if each not in told)))
    if (rest := figures.dead - elsewhere) > 0:
        others = urgency[SHOWN_OF_A_KIND:]
        yield Item("more_dead", "warn", {"groups": len(others), "jobs": rest}, things=max(len(others), 1))


def _grows(group: Group, now: datetime) -> bool:
    return now - group.last_at < GROWING


def _release(figures: Figures, at: datetime) -> Any:
    """The release that came within the quarter of an hour before; the oldest one known is no news."""
    newer = figures.releases[:-1]
    return next((each for each in newer if timedelta() <= at - each.started_at <= timedelta(minutes=15)), None)


def _hung(figures: Figures, max_runtime: timedelta) -> Iterator[Item]:
    live = {each.instance_id: each for each in figures.live}
    for row in figures.held:
        if row.locked_by in live and figures.at - row.since > max_runtime:
            yield Item("hung", "urgent", {"of": row, "holder": live[row.locked_by], "limit": max_runtime})


def _unreaped(figures: Figures) -> Iterator[Item]:
    late = [row for row in figures.held if row.lease_until and figures.at - row.lease_until > UNREAPED_AFTER]
    if late:
        since = min(row.lease_until for row in late)
        yield Item("unreaped", "urgent", {"jobs": sum(row.jobs for row in late), "since": since})


def _outbox(figures: Figures) -> Iterator[Item]:
    outbox = figures.outbox
    if outbox.fresh and figures.at - outbox.fresh_since > OUTBOX_LATE_AFTER:
        yield Item("relay_late", "urgent", outbox)
    if outbox.failing:
        yield Item("relay_failing", "warn", outbox)
    if outbox.unsubscribed:
        yield Item("unsubscribed", "warn", outbox)


def _stopped(in_flight: Iterable[Provisioning]) -> Iterator[Item]:
    for each in in_flight:
        if each.stage in STOPPED:
            yield Item("provisioning", "warn" if each.next_try_at else "urgent", each)


def _behind(figures: Figures) -> Iterator[Item]:
    for load in loads.by_queue(figures):
        wait = _served_wait(load)
        if wait < BEHIND_AFTER or load.pace not in (Pace.GROWING, Pace.STALLED, Pace.CLEARING):
            continue
        if load.pace is not Pace.CLEARING:
            doubles_in = timedelta(seconds=load.doubles_in) if load.doubles_in else None
            yield Item(
                "behind", "urgent" if wait >= FAR_BEHIND_AFTER else "warn", {"of": load, "doubles_in": doubles_in}
            )
        elif (load.clears_in or 0) >= SLOW_TO_CLEAR_SECONDS:
            yield Item("behind", "warn", {"of": load})


def _served_wait(load: Load) -> timedelta:
    """The longest wait among what somebody could run: the rest is told apart."""
    since = [row.ready_since for row in load.backlog if row.ready_since and row not in load.unserved]
    return load.at - min(since) if since else timedelta()


def _silent(figures: Figures) -> Iterator[Item]:
    if not figures.live:
        return  # then the sentence that none is alive says it all
    for worker in figures.silent:
        left = any(each.component == worker.component for each in figures.live)
        level: Level = "warn" if worker.held or not left else "info"
        yield Item("silent", level, {"of": worker, "left": left})


def _transaction(figures: Figures) -> Iterator[Item]:
    oldest = figures.transaction
    if oldest and figures.at - oldest.since > LONG_TRANSACTION:
        yield Item("transaction", "warn", oldest)


def _paused(figures: Figures) -> Iterator[Item]:
    for queue, pause in sorted(figures.paused.items()):
        waiting = figures.depths.ready.get(queue, 0)
        level: Level = "warn" if waiting and pause.paused_until is None else "info"
        yield Item("paused", level, {"of": pause, "waiting": waiting})
