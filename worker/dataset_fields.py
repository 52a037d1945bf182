"""A dataset as its fields, which is how insights and training look at it."""

from __future__ import annotations

from uuid import UUID

from worker.database import Engine, read_only
from worker.insights.cells import Cell, Field, field
from worker.queries.tenant import datasets, records
from worker.signals import require_wanted
from worker.tenancy import tenant_uow


def fields_of(engine: Engine, *, tenant_id: UUID, dataset_id: UUID) -> list[Field] | None:
    """The fields with all their cells, in memory as the bounds of ingest allow; None when there is no such dataset.

    The transaction is over when this returns: records never change, so what is computed of them later still holds.
    """
    with tenant_uow(read_only(engine), tenant_id=tenant_id) as conn:
        dataset = datasets.get(conn, dataset_id=dataset_id)
        if dataset is None:
            return None
        cells: dict[str, list[Cell]] = {name: [] for name in dataset.columns}
        for portion in records.portions(conn, dataset_id=dataset_id):
            require_wanted()
            for name, column in cells.items():
                column += [record.get(name) for record in portion]
    return [field(name, column, spelled=dataset.source_format == "csv") for name, column in cells.items()]
