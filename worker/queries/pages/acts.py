"""The list of acts on many jobs, and the jobs of one, each with what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Text,
    bindparam,
    false,
    func,
    literal,
    or_,
    select,
    true,
)

from worker.database import Id, Row, moment, one_of, position
from worker.queries.bulk_acts.acts import AT_ONCE, Action
from worker.queries.pages import audit, cursors, keyset
from worker.queries.pages.keyset import Listing, Order, Page
from worker.queries.pages.sources import uuid
from worker.queries.pages.states import STATE
from worker.queries.schema import bulk_act_jobs as member
from worker.queries.schema import bulk_acts as act
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

FORMS: Mapping[str, str] = {
    Action.REPLAY: "/replays/new",
    Action.CANCEL: "/cancellations/new",
    Action.RUN: "/runs/new",
    Action.REASSIGN: "/reassignments/new",
}
"""Where each is pressed."""
LOOKED_UP = 100

NEWEST = Order((act.c.chosen_at, act.c.id), (cursors.instant, uuid))
IN_PLACE = Order((member.c.place,), (cursors.number,), descending=False)
_of_act = member.c.act_id == bindparam("of_act", type_=Id)
LATELY = select(act, moment().label("now")).order_by(act.c.chosen_at.desc(), act.c.id.desc()).limit(LOOKED_UP)
SKIPPED = select(member.c.job_id).where(_of_act, member.c.state == "skipped").limit(LOOKED_UP)
_columns = (member.c.place, member.c.job_id, member.c.state.label("came_to"), member.c.why, member.c.outcome)


# Looked up job by job, as an act has its own index: a join might walk all that the tenant ever had
_its_tenant: ColumnElement[Any] = select(job.c.tenant_id).where(job.c.id == member.c.job_id).scalar_subquery()


class Reach(StrEnum):
    """How far the jobs of an act are those of one tenant."""

    OWN = "own"
    SHARED = "shared"
    NONE = "none"


def of_tenant(tenant_id: Any) -> ColumnElement[bool]:
    """Whether an act was on a list of the tenant's, or on one of its newest jobs."""
    slug = select(tenant.c.slug).where(tenant.c.id == tenant_id).scalar_subquery()
    on_its_list = position(act.c.filters.cast(Text), literal('["tenant", "', Text) + slug + '"]') > 0
    on_its_jobs = select(member.c.act_id).where(one_of(member.c.job_id, audit.newest_jobs(tenant_id)))
    return or_(func.coalesce(on_its_list, false()), act.c.id.in_(on_its_jobs))


def _reach() -> Select[bool, bool]:
    own = job.c.tenant_id == bindparam("of_tenant", type_=Id)
    ours = select(member.c.job_id).where(_of_act, _its_tenant == bindparam("of_tenant", type_=Id))
    first = select(member.c.job_id).where(_of_act).limit(AT_ONCE).subquery("first")
    others = select(first.c.job_id).join(job, job.c.id == first.c.job_id).where(func.coalesce(~own, true()))
    return select(ours.exists().label("ours"), others.exists().label("others"))


REACH = _reach()


def reach(conn: Connection, of: Row, *, tenant_id: UUID, slug: str) -> Reach:
    """Whose jobs an act is on; a large one that was not chosen from the tenant's own list may be on others', too."""
    if ["tenant", slug] in [list(pair) for pair in of.filters or ()]:
        return Reach.OWN
    found = conn.execute(REACH, {"of_act": of.id, "of_tenant": tenant_id}).one()
    if not found.ours:
        return Reach.NONE
    return Reach.SHARED if found.others or of.chosen > AT_ONCE else Reach.OWN


def read(
    conn: Connection,
    *,
    tenant_id: UUID | None = None,
    before: str | None = None,
    after: str | None = None,
    most: int | None = None,
    now: datetime,
) -> Page:
    """One page of the acts, the newest first."""
    at = keyset.place(NEWEST, before=before, after=after)
    search = (of_tenant(tenant_id),) if tenant_id else ()
    listing = Listing((*act.c, moment().label("now")), (), NEWEST, search, most=most)
    return keyset.read(conn, listing, at, dress=_as_they_are, values={"at_now": now})


def jobs(
    conn: Connection,
    *,
    act_id: UUID,
    tenant_id: UUID | None = None,
    before: str | None = None,
    after: str | None = None,
    most: int | None = None,
    now: datetime,
) -> Page:
    """One page of an act's jobs, of one tenant or of all, in the order in which they are moved, each as it is now."""
    at = keyset.place(IN_PLACE, before=before, after=after)
    values = {"of_act": act_id, "at_now": now}
    search = (_its_tenant == tenant_id,) if tenant_id else ()
    listing = Listing(_columns, (_of_act,), IN_PLACE, search, most=most)
    return keyset.read(conn, listing, at, dress=_with_job, values=values)


def of_list(
    conn: Connection, *, field: str, value: str, tenant: str | None = None, limit: int, now: datetime
) -> list[Row]:
    """Of the newest hundred, those that were chosen from a list narrowed so, and those that led to the queue."""
    found = []
    for each in conn.execute(LATELY, {"at_now": now}):
        asked = dict(each.filters or ())
        leads_there = field == "queue" and each.to_queue == value
        if (asked.get(field) == value or leads_there) and (tenant is None or asked.get("tenant") == tenant):
            found.append(each)
    return found[:limit]


def skipped(conn: Connection, *, act_id: UUID) -> list[UUID]:
    """Some of the jobs that an act left as they were."""
    return list(conn.execute(SKIPPED, {"of_act": act_id}).scalars())


def _as_they_are(page: Subquery) -> Select[Any]:
    return select(page)


def _with_job(page: Subquery) -> Select[Any]:
    facts = (
        STATE.label("state"),
        job.c.job_type,
        job.c.handler_key,
        job.c.queue,
        job.c.error_type,
        job.c.error_summary,
    )
    rows = page.outerjoin(job, job.c.id == page.c.job_id).outerjoin(tenant, tenant.c.id == job.c.tenant_id)
    return select(page, *facts, tenant.c.slug.label("tenant")).select_from(rows)
