"""What was done in a shift, by whom, and what it leaves to the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, bindparam, select

from worker.database import Id, Row, Timestamp, moment
from worker.model import Status
from worker.queries.bulk_acts.acts import UNDER_WAY, ActState
from worker.queries.pages import acts, audit, groups, releases, selection
from worker.queries.pages.figures import Figures
from worker.queries.pages.filters import Filters
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.groups import Group
from worker.queries.pages.releases import Release
from worker.queries.schema import bulk_acts as act
from worker.queries.schema import operator_actions as action

LOOKED_AT = 2_000
"""Rows of the trail, and acts, that are read of one shift: the newest."""
AHEAD = timedelta(hours=8)
"""How far the next shift reaches, for the snoozes that end in it."""
OPEN = UNDER_WAY | {ActState.STOPPED}

_tenant = bindparam("of_tenant", type_=Id)
_since, _until = bindparam("since", type_=Timestamp), bindparam("until", type_=Timestamp)


def _trail(*whose: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    during = (action.c.at >= _since, action.c.at <= _until, *whose)
    newest = select(action).where(*during).order_by(action.c.at.desc(), action.c.id.desc()).limit(LOOKED_AT)
    page = newest.subquery("page")
    return audit.dressed(page).order_by(page.c.at.desc(), page.c.id.desc())


def _acts(*whose: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    during = (act.c.chosen_at >= _since, act.c.chosen_at <= _until, *whose)
    rows = select(act, moment().label("now")).where(*during)
    return rows.order_by(act.c.chosen_at.desc(), act.c.id.desc()).limit(LOOKED_AT)


TRAIL, OWN_TRAIL = _trail(), _trail(audit.of_tenant(_tenant))
ACTS, OWN_ACTS = _acts(), _acts(acts.of_tenant(_tenant))


@dataclass(frozen=True, slots=True)
class Paused:
    """A pause in force, and how many jobs are due behind it."""

    of: Row
    waiting: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """A shift, the newest first: what was done in it, and how that stands now, whenever the shift ended."""

    since: datetime
    until: datetime
    now: datetime
    trail: Sequence[Row]
    acts: Sequence[Row]
    releases: list[Release]
    dead: int
    open_groups: list[Group]
    waking: list[Group]
    paused: list[Paused]
    draining: list[Worker]

    @property
    def capped(self) -> bool:
        """Whether more was done than is read."""
        return max(len(self.trail), len(self.acts)) >= LOOKED_AT

    @property
    def dead_capped(self) -> bool:
        """Whether more died than are counted."""
        return self.dead >= selection.COUNTED

    @property
    def new_groups(self) -> list[Group]:
        """Errors that first came up in the shift and are open or asleep still."""
        found = {each.fingerprint: each for each in (*self.open_groups, *self.waking)}.values()
        return [each for each in found if self.since <= each.first_at <= self.until]

    @property
    def open_acts(self) -> list[Row]:
        """Acts of the shift that move jobs still, or stopped by themselves."""
        return [each for each in self.acts if each.state in OPEN]


def read(
    conn: Connection,
    figures: Figures,
    *,
    tenant_id: UUID | None = None,
    since: datetime,
    until: datetime,
    now: datetime,
) -> HandOver:
    """The shift as it was, and what of it is open now; for one tenant, pauses, drains and releases are everybody's."""
    span = {"since": since, "until": until}
    whose = {**span, "of_tenant": tenant_id}
    dead = Filters(status=Status.FAILED, tenant=str(tenant_id) if tenant_id else None)
    asleep = groups.read(conn, view="snoozed", tenant_id=tenant_id, now=now)
    return HandOver(
        **span,
        now=now,
        trail=conn.execute(OWN_TRAIL if tenant_id else TRAIL, whose).all(),
        acts=conn.execute(OWN_ACTS if tenant_id else ACTS, {**whose, "at_now": now}).all(),
        releases=releases.between(conn, **span),
        dead=selection.count(conn, dead, tenant_id=tenant_id, before=until, since=since, now=now),
        open_groups=groups.read(conn, view="open", tenant_id=tenant_id, now=now),
        waking=sorted(
            (each for each in asleep if each.snoozed_until and each.snoozed_until <= now + AHEAD),
            key=lambda each: each.snoozed_until or now,
        ),
        paused=[Paused(row, figures.depths.ready.get(queue, 0)) for queue, row in figures.paused.items()],
        draining=[each for each in figures.workers if each.state is State.DRAINING],
    )
