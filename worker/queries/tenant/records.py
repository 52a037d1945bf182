"""The rows of a dataset, each a JSON object of its fields; written once, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, bindparam, select

from worker.database import Connection, Id, Json, insert, records
from worker.queries.tenant.schema.datasets import dataset_records

MAX_DOCUMENT = 1024 * 1024

_PORTION = 2000
_new = records("new_records", ordinal=Integer(), record=Json).c
_VALUES = {
    dataset_records.c.dataset_id: bindparam("of_dataset", type_=Id),
    dataset_records.c.tenant_id: bindparam("of_tenant", type_=Id),
    dataset_records.c.ordinal: _new.ordinal,
    dataset_records.c.record: _new.record,
}
ADD = insert(dataset_records).from_select([*_VALUES], select(*_VALUES.values()))
NEXT = (
    select(dataset_records.c.ordinal, dataset_records.c.record)
    .where(
        dataset_records.c.dataset_id == bindparam("of_dataset"),
        dataset_records.c.ordinal > bindparam("after_ordinal", type_=Integer),
    )
    .order_by(dataset_records.c.ordinal)
    .limit(bindparam("at_most", type_=Integer))
)


def add(conn: Connection, *, tenant_id: UUID, dataset_id: UUID, texts: Iterable[str]) -> None:
    """Write the records, given as JSON texts in their order, in as few statements as a bounded document allows."""
    values = {"of_dataset": dataset_id, "of_tenant": tenant_id}
    for document in _documents(texts):
        conn.execute(ADD, {**values, "new_records": document})


def portions(conn: Connection, *, dataset_id: UUID) -> Iterator[list[dict[str, Any]]]:
    """The records in their order, a bounded number at a time."""
    values = {"of_dataset": dataset_id, "at_most": _PORTION}
    portion = conn.execute(NEXT, {**values, "after_ordinal": -1}).all()
    while portion:
        yield [row.record for row in portion]
        portion = conn.execute(NEXT, {**values, "after_ordinal": portion[-1].ordinal}).all()


def _documents(texts: Iterable[str]) -> Iterator[str]:
    """The records as JSON lists of a bounded length, or of one record that is longer."""
    rows: list[str] = []
    length = 0
    for ordinal, text in enumerate(texts):
        if rows and length + len(text) > MAX_DOCUMENT:
            yield f"[{','.join(rows)}]"
            rows, length = [], 0
        rows.append(f'{{"ordinal":{ordinal},"record":{text}}}')
        length += len(text)
    if rows:
        yield f"[{','.join(rows)}]"
