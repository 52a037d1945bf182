"""What needs a person now, the most urgent first: facts only, the sentences are the template's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Literal

from sqlalchemy import Connection

from worker.queries.pages import failures, fleet, loads, provisioning
from worker.queries.pages.figures import Figures
from worker.queries.pages.loads import Load, Pace

Level = Literal["urgent", "warn", "info"]
LEVELS = ("urgent", "warn", "info")

UNSERVED_AFTER = timedelta(seconds=30)
UNREAPED_AFTER = timedelta(minutes=2)
OUTBOX_LATE_AFTER = timedelta(minutes=1)
BEHIND_AFTER, FAR_BEHIND_AFTER = timedelta(minutes=2), timedelta(minutes=15)
SLOW_TO_CLEAR_SECONDS = 600
LONG_TRANSACTION = timedelta(minutes=5)
SHOWN_OF_A_KIND = 3


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at; `kind` chooses the sentence, `facts` are what it tells, `things` how many it stands for."""

    kind: str
    level: Level
    facts: Any
    things: int = 1


def read(conn: Connection, figures: Figures, *, max_runtime: timedelta) -> list[Item]:
    """Everything that asks for a person, and below it what should only not be forgotten."""
    found = [
        *_unserved(conn, figures),
        *_dead(conn, figures),
        *_hung(figures, max_runtime),
        *_unreaped(figures),
        *_outbox(figures),
        *_stopped(conn),
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
    groups = failures.groups(conn, now=figures.at) if figures.dead else []
    for group in groups:
        level: Level = "urgent" if group.fresh and not group.assignee else "warn"
        yield Item("dead", level, {"of": group, "release": _release(figures, group.first_at)})
    if groups and (others := groups[0].groups - len(groups)):
        rest = groups[0].read_in_all - sum(group.read for group in groups)
        yield Item("more_dead", "warn", {"groups": others, "jobs": rest}, things=others)


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


def _stopped(conn: Connection) -> Iterator[Item]:
    for each in provisioning.in_flight(conn)[0]:
        if each.stage in provisioning.STOPPED:
            yield Item("provisioning", "warn" if each.next_try_at else "urgent", each)


def _behind(figures: Figures) -> Iterator[Item]:
    for load in loads.by_queue(figures):
        wait = _served_wait(load)
        if wait < BEHIND_AFTER or load.pace not in (Pace.GROWING, Pace.STALLED, Pace.CLEARING):
            continue
        if load.pace is not Pace.CLEARING:
            doubles_in = timedelta(seconds=load.doubles_in or 0)
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
