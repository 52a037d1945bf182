"""The rows of the Tenants page: those under way by how much they need a person, then the others by slug."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    case,
    false,
    literal_column,
    null,
    or_,
    select,
    tuple_,
    union_all,
)

from worker.database import items_in, least, lowered, one_of, position
from worker.provisioning.steps import STEPS
from worker.queries.pages import provisioning, stuck
from worker.queries.pages.provisioning import AGAIN, FAILED
from worker.queries.pages.stuck import IDLE, PROGRESSED_AT, STUCK, UNTAKEN
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

PAGE = 50
AT_REST = 3
"""The urgency of a tenant that is not being set up; smaller is more urgent."""

UNDER_WAY = tenant.c.onboarding_status == literal_column("'provisioning'", Text)
_urgency = case((or_(FAILED, STUCK), 0), (AGAIN, 1), else_=2)
_wanted = lowered(bindparam("containing", type_=Text))
_CONTAINING = or_(
    position(tenant.c.slug, _wanted) > 0,
    position(lowered(tenant.c.display_name), _wanted) > 0,
    tenant.c.id.cast(Text) == _wanted,
)
place = least(items_in(job.c.steps_completed), len(STEPS) - 1)
"""The place among the steps of the one that it is at; the last, when all are done and it is not active yet."""
_AT_STEP = and_(job.c.id.is_not(None), place == bindparam("at_place", type_=Integer))
_after = (bindparam("after_urgency", type_=Integer), bindparam("after_slug", type_=Text))

STATES: dict[str, ColumnElement[bool]] = {
    "created": tenant.c.onboarding_status == "created",
    "provisioning": UNDER_WAY,
    "stopped": or_(FAILED, AGAIN),
    "stuck": STUCK,
    "active": tenant.c.onboarding_status == "active",
    "suspended": tenant.c.onboarding_status == "suspended",
}
"""What the list may be narrowed to; `stopped` is provisioning that failed, was cancelled or is being tried again."""
OF_PROVISIONING = frozenset({"provisioning", "stopped", "stuck"})


@cache
def listing(*, containing: bool, state: str | None, at_step: bool) -> Select[Any]:
    """One page: all those under way are judged, of the others only as many are read as there is room for."""
    narrowed = tuple(_narrowed(containing=containing, state=state, at_step=at_step))
    both = {
        "under_way": (_under_way(*narrowed), state is None or state in OF_PROVISIONING),
        "at_rest": (_at_rest(*narrowed), not at_step and state not in OF_PROVISIONING),
    }
    parts = [select(rows.limit(PAGE + 1).subquery(name)) for name, (rows, matters) in both.items() if matters]
    found = union_all(*parts or [select(_under_way(false()).subquery("none"))]).subquery("found")
    return select(found).order_by(found.c.urgency, found.c.slug).limit(PAGE + 1)


def _under_way(*narrowed: ColumnElement[bool]) -> Select[Any]:
    key = (_urgency, tenant.c.slug)
    told = (UNTAKEN.label("untaken"), IDLE.label("idle"), PROGRESSED_AT.label("progressed_at"))
    rows = _lines(_urgency.label("urgency"), *told).select_from(stuck.TENANTS)
    return rows.where(UNDER_WAY, tuple_(*key) > tuple_(*_after), *narrowed).order_by(*key)


def _at_rest(*narrowed: ColumnElement[bool]) -> Select[Any]:
    """Which tenants these are is settled before their jobs are looked up: no more of those than a page has."""
    nothing = null().cast(PROGRESSED_AT.type).label("progressed_at")
    told = (false().label("untaken"), false().label("idle"), nothing)
    beyond = tenant.c.slug > bindparam("after_resting", type_=Text)
    shown = select(tenant.c.id).where(~UNDER_WAY, beyond, *narrowed).order_by(tenant.c.slug).limit(PAGE + 1)
    rows = _lines(literal_column(str(AT_REST), Integer).label("urgency"), *told).select_from(provisioning.TENANTS)
    return rows.where(one_of(tenant.c.id, shown)).order_by(tenant.c.slug)


def _lines(*told: ColumnElement[Any]) -> Select[Any]:
    about = (tenant.c.display_name, tenant.c.onboarding_status, tenant.c.created_at, tenant.c.activated_at)
    return select(*provisioning.FACTS, *about, job.c.finished_at, *told)


def _narrowed(*, containing: bool, state: str | None, at_step: bool) -> Iterator[ColumnElement[bool]]:
    if containing:
        yield _CONTAINING
    if state:
        yield STATES[state]
    if at_step:
        yield _AT_STEP
