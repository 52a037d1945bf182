"""One group of dead letters in depth: what it says, what was done to it, and which others belong to it by a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, func, or_, select

from worker.database import Id, Row
from worker.queries.pages.backlog import DEAD
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import operator_actions as action
from worker.queries.schema import platform_jobs as job

SAMPLED, MESSAGES, ACTS, RELATED = 500, 20, 10, 60
"""Newest members that are read for what they say; messages, acts and groups that are shown."""

_of_group = bindparam("of_group", type_=Text)
_members = (DEAD, job.c.error_fingerprint == _of_group)
_own = (*_members, job.c.tenant_id == bindparam("of_tenant", type_=Id))


def _said(*whose: ColumnElement[bool]) -> Select[Any]:
    order = (job.c.finished_at.desc(), job.c.id.desc())
    newest = select(job.c.error_summary).where(*whose).order_by(*order).limit(SAMPLED).subquery("newest")
    said = (newest.c.error_summary.label("message"), func.count().label("jobs"))
    by = (func.count().desc(), newest.c.error_summary)
    return select(*said).group_by(newest.c.error_summary).order_by(*by).limit(MESSAGES + 1)


SAID, OWN_SAID = _said(*_members), _said(*_own)
ACTS_ON = (
    select(action.c.at, action.c.actor, action.c.action, action.c.reason, action.c.detail)
    .where(action.c.target == _of_group)
    .order_by(action.c.id.desc())
    .limit(ACTS)
)
# Its own row is among them, for a rule may be its own
RELATED_TO = (
    select(group.c.fingerprint, group.c.title, group.c.merged_into, group.c.split_from, group.c.is_split)
    .where(or_(group.c.fingerprint == _of_group, group.c.merged_into == _of_group, group.c.split_from == _of_group))
    .order_by(group.c.fingerprint)
    .limit(RELATED)
)


def messages(conn: Connection, *, fingerprint: str, tenant_id: UUID | None = None) -> Sequence[Row]:
    """What the newest say, the most frequent first; one more than are shown where there are more."""
    values = {"of_group": fingerprint, "of_tenant": tenant_id}
    return conn.execute(OWN_SAID if tenant_id else SAID, values).all()


def acts(conn: Connection, *, fingerprint: str) -> Sequence[Row]:
    """What people did to the group, the newest first."""
    return conn.execute(ACTS_ON, {"of_group": fingerprint}).all()


def related(conn: Connection, *, fingerprint: str) -> Sequence[Row]:
    """The rules about it: which groups joined it, which it was split into, and its own."""
    return conn.execute(RELATED_TO, {"of_group": fingerprint}).all()
