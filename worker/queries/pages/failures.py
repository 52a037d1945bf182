"""The newest dead letters by what went wrong, for the Overview: a bounded look, not the whole inbox."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, Select, func, literal_column, or_, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import aggregate_order_by

from worker.database import moment, seconds
from worker.queries.pages.backlog import DEAD
from worker.queries.pages.provisioning import PROVISION_TENANT
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import platform_jobs as job

READ, COUNTED, SHOWN = 2_000, 10_000, 3
FRESH = timedelta(hours=1)
"""A group that grew within this time is still happening."""

_newest = (
    select(
        job.c.error_fingerprint,
        job.c.handler_key,
        job.c.error_type,
        job.c.error_summary,
        job.c.tenant_id,
        job.c.finished_at,
    )
    .where(DEAD, job.c.job_type != PROVISION_TENANT)  # those are told as their tenants' stories
    .order_by(job.c.finished_at.desc(), job.c.id.desc())
    .limit(READ)
    .subquery("newest")
)


def _last(column: Any) -> Any:
    return func.array_agg(aggregate_order_by(column, _newest.c.finished_at.desc()))[1]


_found = (
    select(
        _newest.c.error_fingerprint.label("fingerprint"),
        _last(_newest.c.handler_key).label("handler"),
        _last(_newest.c.error_type).label("error_type"),
        _last(_newest.c.error_summary).label("error_summary"),
        func.count(_newest.c.tenant_id.distinct()).label("tenants"),
        func.count().label("read"),
        func.min(_newest.c.finished_at).label("first_read_at"),
        func.max(_newest.c.finished_at).label("last_at"),
    )
    .group_by(_newest.c.error_fingerprint)
    .subquery("found")
)
_fresh = _found.c.last_at > moment() - seconds(literal_column(str(FRESH.total_seconds())))
_urgency = (_fresh.desc(), group.c.assignee.is_not(None), _found.c.read.desc(), _found.c.last_at.desc())
_loudest = (
    select(
        _found,
        _fresh.label("fresh"),
        group.c.assignee,
        sql_cast(func.count().over(), Integer).label("groups"),
        sql_cast(func.sum(_found.c.read).over(), Integer).label("read_in_all"),
        func.row_number().over(order_by=_urgency).label("place"),
    )
    .select_from(_found.outerjoin(group, group.c.fingerprint == _found.c.fingerprint))
    .where(or_(group.c.snoozed_until.is_(None), group.c.snoozed_until <= moment()))
    .order_by(*_urgency)
    .limit(SHOWN)
    .subquery("loudest")
)
_member: Select[Any] = (
    select(job.c.finished_at)
    .where(DEAD, job.c.error_fingerprint == _loudest.c.fingerprint)
    .order_by(job.c.finished_at, job.c.id)
    .correlate(_loudest)
)
_members = select(func.count()).select_from(_member.limit(COUNTED).subquery()).scalar_subquery()
GROUPS = select(
    _loudest,
    func.greatest(_members, _loudest.c.read).label("jobs"),
    func.coalesce(_member.limit(1).scalar_subquery(), _loudest.c.first_read_at).label("first_at"),
).order_by(_loudest.c.place)


def groups(conn: Connection, *, now: datetime | None = None) -> list[Any]:
    """The groups that ask loudest: still growing first, then those nobody has taken, then the greatest.

    Snoozed groups are left out. `groups` and `read_in_all` say how much there is beside those shown.
    """
    return list(conn.execute(GROUPS, {"at_now": now}))
