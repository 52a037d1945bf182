"""The trail of what operators did and were refused, the newest first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Subquery, bindparam, func, or_, select

from worker.database import Row, among, one_of
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries.pages import cursors, keyset
from worker.queries.pages.keyset import Listing, Order, Page
from worker.queries.schema import operator_action_jobs as touched
from worker.queries.schema import operator_actions as action
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant

OUTCOMES = ("done", "refused")
JOBS_OF_TENANT = 5_000
"""The newest jobs of a tenant whose acts are found by its name."""

LOOKED_UP = 100
"""Jobs of a selection that are looked up for who was first."""

NEWEST = Order((action.c.id,), (cursors.number,))
_newest = select(func.max(touched.c.action_id)).where(among(touched.c.job_id, "of_ids")).scalar_subquery()
LATEST = select(action).where(action.c.id == _newest)
OF_TARGET = (
    select(action)
    .where(action.c.target == bindparam("of_target"), among(action.c.action, "of_actions"))
    .order_by(action.c.id.desc())
    .limit(bindparam("at_most"))
)
ONE = select(action).where(action.c.id == bindparam("of_id"))


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """What the trail is narrowed to."""

    actor: str | None = None
    action: str | None = None
    outcome: str | None = None
    job: UUID | None = None
    tenant: str | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Each filter as a field of an address."""
        named = ((name, getattr(self, name)) for name in self.__slots__)
        return [(name, str(value)) for name, value in named if value is not None]


def parse(fields: Iterable[tuple[str, str]]) -> AuditFilters:
    """The filters among the fields of an address; InvalidInput names the field."""
    given = {
        name: clean
        for name, text in fields
        if name in AuditFilters.__slots__ and (clean := clean_text(text, field=name, limit=100))
    }
    if given.get("outcome", "done") not in OUTCOMES:
        raise InvalidInput("outcome", f"must be {' or '.join(OUTCOMES)}")
    try:
        job_id = UUID(given.pop("job")) if "job" in given else None
    except ValueError:
        raise InvalidInput("job", "is not the id of a job") from None
    return AuditFilters(**given, job=job_id)


def read(
    conn: Connection,
    filters: AuditFilters,
    *,
    tenant_id: UUID | None = None,
    before: str | None = None,
    after: str | None = None,
    most: int | None = None,
) -> Page:
    """One page of the trail, each row with one of its jobs and its tenant's short name."""
    at = keyset.place(NEWEST, before=before, after=after)
    where, search = _conditions(filters, tenant_id)
    listing = Listing(tuple(action.c), where, NEWEST, search, most=most)
    return keyset.read(conn, listing, at, dress=dressed, values={})


def latest(conn: Connection, *, job_ids: Sequence[UUID]) -> Row | None:
    """The newest act on any of the jobs."""
    return conn.execute(LATEST, {"of_ids": list(job_ids)[:LOOKED_UP]}).first()


def of_target(conn: Connection, *, target: str, actions: Collection[str], limit: int) -> Sequence[Row]:
    """The newest of these acts on one thing that is not a job, by its name."""
    values = {"of_target": target, "of_actions": list(actions), "at_most": limit}
    return conn.execute(OF_TARGET, values).all()


def one(conn: Connection, *, action_id: int) -> Row | None:
    """An act by its number."""
    return conn.execute(ONE, {"of_id": action_id}).first()


def _conditions(
    filters: AuditFilters, tenant_id: UUID | None
) -> tuple[tuple[ColumnElement[bool], ...], tuple[ColumnElement[bool], ...]]:
    """What an index answers, and what is sifted row by row."""
    where, search = [], []
    if filters.job:
        where.append(action.c.id.in_(select(touched.c.action_id).where(touched.c.job_id == filters.job)))
    if tenant_id:
        search.append(of_tenant(tenant_id))
    named = {name: getattr(filters, name) for name in ("actor", "action", "outcome")}
    search += [action.c[name] == value for name, value in named.items() if value]
    return tuple(where), tuple(search)


def newest_jobs(tenant_id: Any) -> Select[Any]:
    """The newest jobs of a tenant, as far as its acts are looked for among them."""
    jobs = select(job.c.id).where(job.c.tenant_id == tenant_id)
    return jobs.order_by(job.c.created_at.desc(), job.c.id.desc()).limit(JOBS_OF_TENANT)


def of_tenant(tenant_id: Any) -> ColumnElement[bool]:
    """Whether a row of the trail is about the tenant, or about one of its newest jobs."""
    acts = select(touched.c.action_id).where(one_of(touched.c.job_id, newest_jobs(tenant_id)))
    return or_(action.c.tenant_id == tenant_id, action.c.id.in_(acts))


def dressed(page: Subquery) -> Select[Any]:
    """Rows of the trail, each with one of its jobs and its tenant's short name."""
    first = select(touched.c.job_id).where(touched.c.action_id == page.c.id).limit(1).scalar_subquery()
    rows = page.outerjoin(tenant, tenant.c.id == page.c.tenant_id)
    return select(page, first.label("job_id"), tenant.c.slug.label("tenant")).select_from(rows)
