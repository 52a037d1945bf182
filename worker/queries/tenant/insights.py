"""Insights: what was found out about a dataset, one collection for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Integer, Text, bindparam, delete, select

from worker.database import Connection, Id, Json, Row, among, insert, moment, records
from worker.insights.summary import Insight
from worker.model import new_id
from worker.payloads import dumps
from worker.queries.tenant.schema.datasets import datasets, insight_collections, insights

_COLLECTION = {
    insight_collections.c.id: bindparam("new_id", type_=Id),
    insight_collections.c.tenant_id: datasets.c.tenant_id,
    insight_collections.c.dataset_id: datasets.c.id,
    insight_collections.c.computed_at: moment(),
    insight_collections.c.row_count: bindparam("of_rows", type_=Integer),
}
_collect = insert(insight_collections).from_select(
    [*_COLLECTION], select(*_COLLECTION.values()).where(datasets.c.id == bindparam("of_dataset"))
)
# Whoever comes second waits here for the first, and replaces what that one wrote
COLLECT = _collect.on_conflict_do_update(
    index_elements=["dataset_id"],
    set_={"computed_at": _collect.excluded.computed_at, "row_count": _collect.excluded.row_count},
).returning(insight_collections.c.id, insight_collections.c.tenant_id)
CLEAR = delete(insights).where(insights.c.collection_id == bindparam("of_collection"))
_new = records("new_insights", ordinal=Integer(), kind=Text(), field=Text(), facts=Json).c
_INSIGHT = {
    insights.c.collection_id: bindparam("of_collection", type_=Id),
    insights.c.tenant_id: bindparam("of_tenant", type_=Id),
    **{insights.c[column.name]: column for column in _new},
}
FILL = insert(insights).from_select([*_INSIGHT], select(*_INSIGHT.values()))
OF_DATASETS = (
    select(
        insight_collections.c.dataset_id,
        insight_collections.c.computed_at,
        insight_collections.c.row_count,
        insights.c.kind,
        insights.c.field,
        insights.c.facts,
    )
    .join_from(insight_collections, insights)
    .where(among(insight_collections.c.dataset_id, "of_datasets"))
    .order_by(insight_collections.c.dataset_id, insights.c.ordinal)
)


def replace(
    conn: Connection, *, dataset_id: UUID, row_count: int, found: Iterable[Insight], now: datetime | None = None
) -> bool:
    """Make these the dataset's insights, in the caller's transaction; False when the dataset is gone."""
    collected = conn.execute(
        COLLECT, {"new_id": new_id(), "of_dataset": dataset_id, "of_rows": row_count, "at_now": now}
    ).one_or_none()
    if collected is None:
        return False
    of_collection = {"of_collection": collected.id, "of_tenant": collected.tenant_id}
    conn.execute(CLEAR, of_collection)
    rows = [
        {"ordinal": ordinal, "kind": each.kind, "field": each.field, "facts": each.facts}
        for ordinal, each in enumerate(found)
    ]
    conn.execute(FILL, {**of_collection, "new_insights": dumps(rows)})
    return True


def of_datasets(conn: Connection, *, dataset_ids: Sequence[UUID]) -> Sequence[Row]:
    """What is known of these datasets, each one's fields in their order and then the correlations."""
    return conn.execute(OF_DATASETS, {"of_datasets": list(dataset_ids)}).all()
