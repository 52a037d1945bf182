"""Datasets: what a tenant put in, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Integer, bindparam, select

from worker.database import Connection, Id, Json, Row, insert, moment
from worker.model import new_id
from worker.queries.tenant.schema.datasets import datasets, insight_collections

_UNDER = (datasets.c.name == bindparam("as_name"), datasets.c.content_hash == bindparam("with_hash"))
ADD = (
    insert(datasets)
    .values(
        id=bindparam("new_id"),
        tenant_id=bindparam("of_tenant"),
        name=bindparam("as_name"),
        source_format=bindparam("from_format"),
        columns=bindparam("with_columns", type_=Json),
        row_count=bindparam("with_rows"),
        content_hash=bindparam("with_hash"),
        created_at=moment(),
        created_by=bindparam("by_actor"),
    )
    .on_conflict_do_nothing(index_elements=["name", "content_hash"])
    .returning(datasets.c.id)
)
SAME = select(datasets.c.id).where(*_UNDER)
GET = select(datasets).where(datasets.c.id == bindparam("of_id"))
LISTED = (
    select(*(column for column in datasets.c if column.name != "tenant_id"), insight_collections.c.computed_at)
    .join_from(datasets, insight_collections, isouter=True)
    .order_by(datasets.c.created_at.desc(), datasets.c.id.desc())
    .limit(bindparam("at_most", type_=Integer))
)
WITHOUT_INSIGHTS = (
    select(datasets.c.id)
    .join_from(datasets, insight_collections, isouter=True)
    .where(insight_collections.c.id.is_(None), datasets.c.id > bindparam("after_id", type_=Id))
    .order_by(datasets.c.id)
    .limit(bindparam("at_most", type_=Integer))
)


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset as it is to be stored, its records aside."""

    name: str
    source_format: str
    columns: Sequence[str]
    row_count: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Added:
    """The dataset's id, and whether it was not there before."""

    id: UUID
    created: bool


def add(conn: Connection, *, tenant_id: UUID, new: NewDataset, created_by: str, now: datetime | None = None) -> Added:
    """Store it, or find the one with the same content under the same name; its records are the caller's to add."""
    values = {
        "new_id": new_id(),
        "of_tenant": tenant_id,
        "as_name": new.name,
        "from_format": new.source_format,
        "with_columns": list(new.columns),
        "with_rows": new.row_count,
        "with_hash": new.content_hash,
        "by_actor": created_by,
        "at_now": now,
    }
    made: UUID | None = conn.execute(ADD, values).scalar()
    if made:
        return Added(made, created=True)
    return Added(conn.execute(SAME, values).scalar_one(), created=False)


def get(conn: Connection, *, dataset_id: UUID) -> Row | None:
    """The dataset; None when there is none."""
    return conn.execute(GET, {"of_id": dataset_id}).one_or_none()


def listed(conn: Connection, *, limit: int) -> Sequence[Row]:
    """The newest datasets, each with when its insights were computed (None: not yet)."""
    return conn.execute(LISTED, {"at_most": limit}).all()


def without_insights(conn: Connection, *, after: UUID, limit: int) -> list[UUID]:
    """The next datasets, by id, that no insights were computed of."""
    return list(conn.execute(WITHOUT_INSIGHTS, {"after_id": after, "at_most": limit}).scalars())
