"""The open work of one tenant, of a few, or of each: by indexes of their own, but for all of them at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Subquery,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    select,
    union_all,
)

from worker.database import Id, for_each, moment, records
from worker.model import Status
from worker.queries.pages.backlog import COUNTED, DEAD, KEY, RUNNING, Backlog, counted, is_in, open_work, told
from worker.queries.schema import platform_jobs as job

HEAD = 200
"""The waiting jobs of each of several tenants that are told apart, those due first."""

_is_later = and_(job.c.scheduled, job.c.available_at > moment())
_kind = case((_is_later, literal_column("'scheduled'")), else_=literal_column("'ready'")).label("kind")
_names = [column.name for column in KEY]


def _waiting(tenant_id: ColumnElement[UUID], *columns: ColumnElement[Any], limit: int) -> Select[Any]:
    """The waiting jobs of a tenant, those due first."""
    rows = select(*columns, _kind, *KEY, job.c.available_at, job.c.attempts)
    rows = rows.where(is_in(Status.QUEUED), job.c.tenant_id == tenant_id)
    return rows.order_by(job.c.available_at, job.c.id).limit(limit)


def _counted(waiting: Subquery, *names: str) -> Select[Any]:
    key = [waiting.c[name] for name in (*names, "kind", *_names)]
    counts = (func.count().label("jobs"), func.min(waiting.c.available_at).label("since"))
    retrying = func.count().filter(waiting.c.attempts > 0).label("retrying")
    return select(*key, *counts, retrying).group_by(*key)


_mine = bindparam("of_tenant", type_=Id)
_dead = (
    select(*KEY, job.c.finished_at)
    .where(DEAD, job.c.tenant_id == _mine)
    .order_by(job.c.finished_at.desc(), job.c.id.desc())
    .limit(COUNTED)
    .subquery("dead")
)
OPEN_OF_TENANT = union_all(
    _counted(_waiting(_mine, limit=COUNTED).subquery("waiting")),
    counted("dead", _dead, _names, func.max(_dead.c.finished_at)),
)
_wanted = records("wanted", tenant_id=Id)
_heads = for_each(_wanted, _waiting(_wanted.c.tenant_id, job.c.tenant_id, limit=HEAD), key=job.c.id)
HEADS = _counted(_heads.subquery("heads"), "tenant_id")
_running = select(job.c.tenant_id, *KEY).where(RUNNING, job.c.tenant_id.is_not(None)).subquery("running")
OPEN_BY_TENANT = union_all(
    *open_work(job.c.tenant_id, *KEY, head=COUNTED, sheet=COUNTED),
    counted("running", _running, ["tenant_id", *_names], literal_column("NULL")),
)


def of_tenant(
    conn: Connection, *, tenant_id: UUID, held: Iterable[Row[Any]], now: datetime | None = None
) -> tuple[Backlog, ...]:
    """What is open of one tenant, in full; `held` are the rows of `fleet.held` that are its own."""
    return told(conn.execute(OPEN_OF_TENANT, {"of_tenant": tenant_id, "at_now": now}).all(), held)


def heads(conn: Connection, *, tenant_ids: Sequence[UUID], now: datetime | None = None) -> dict[UUID, list[Backlog]]:
    """What kinds of jobs wait first of each tenant, which says on what it waits."""
    if not tenant_ids:
        return {}
    wanted = json.dumps([{"tenant_id": str(each)} for each in tenant_ids])
    return _by_tenant(conn.execute(HEADS, {"wanted": wanted, "at_now": now}).all())


def by_tenant(conn: Connection, *, now: datetime | None = None) -> dict[UUID, list[Backlog]]:
    """The open work of every tenant, in full; to be read once a minute and no more often."""
    return _by_tenant(conn.execute(OPEN_BY_TENANT, {"at_now": now}).all())


def _by_tenant(rows: Iterable[Row[Any]]) -> dict[UUID, list[Backlog]]:
    found: dict[UUID, list[Row[Any]]] = {}
    for row in rows:
        if row.tenant_id is not None:
            found.setdefault(row.tenant_id, []).append(row)
    return {tenant_id: list(told(of)) for tenant_id, of in found.items()}
