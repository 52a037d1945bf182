"""What a word from the search box names: a job, a tenant, an event, an idempotency key or a worker."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, or_, select
from sqlalchemy import cast as sql_cast

from worker.database import Id, optional
from worker.queries.pages.sources import of_key
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import tenants as tenant
from worker.queries.schema import worker_instances as instance

_word = bindparam("word", type_=Text)
_id = optional("as_id", Id)


LOOK = select(
    select(sql_cast(job.c.id, Text)).where(job.c.id == _id).scalar_subquery().label("job"),
    select(tenant.c.slug)
    .where(or_(tenant.c.slug == _word, tenant.c.id == _id))
    .limit(1)
    .scalar_subquery()
    .label("tenant"),
    select(job.c.event_id).where(job.c.event_id == _word).limit(1).scalar_subquery().label("event"),
    select(_word).where(of_key(_word).exists()).scalar_subquery().label("key"),
    select(_word)
    .where(
        select(instance.c.instance_id)
        .where(or_(instance.c.instance_id == _word, instance.c.component == _word))
        .exists()
    )
    .scalar_subquery()
    .label("worker"),
)


SLUGS = select(tenant.c.slug).where(tenant.c.slug >= _word).order_by(tenant.c.slug).limit(bindparam("at_most"))


def look(conn: Connection, *, word: str) -> tuple[str, str] | None:
    """The filter that the word stands for, as a name and a value (`job` for a job's own page); None when it is none."""
    found = conn.execute(LOOK, {"word": word, "as_id": _uuid(word)}).one()
    return next(((name, value) for name, value in found._mapping.items() if value is not None), None)


def slugs(conn: Connection, *, begun: str, limit: int) -> list[str]:
    """Tenants whose slugs begin like that; a few of those that come next may be among them."""
    return list(conn.execute(SLUGS, {"word": begun, "at_most": limit}).scalars())


def _uuid(word: str) -> UUID | None:
    try:
        return UUID(word)
    except ValueError:
        return None
