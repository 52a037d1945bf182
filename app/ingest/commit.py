"""Storing a dataset and asking for its insights: both or neither (S1-28)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.ingest.table import Table
from worker.database import Connection
from worker.job_types import JobTypes
from worker.product_jobs import materialize_job
from worker.queries import jobs
from worker.queries.tenant import datasets, records


@dataclass(frozen=True, slots=True)
class Ingested:
    """Which dataset it is, whether it was not there before, and the job that computes its insights."""

    dataset_id: UUID
    created: bool
    job_id: UUID


def ingest_commit(
    conn: Connection,
    job_types: JobTypes,
    *,
    tenant_id: UUID,
    name: str,
    table: Table,
    created_by: str,
    now: datetime | None = None,
) -> Ingested:
    """Store the dataset in the `tenant_uow` of the caller, unless its content is there under that name already."""
    new = datasets.NewDataset(name, table.source_format, table.columns, table.row_count, table.content_hash)
    added = datasets.add(conn, tenant_id=tenant_id, new=new, created_by=created_by, now=now)
    if added.created:
        records.add(conn, tenant_id=tenant_id, dataset_id=added.id, texts=table.records)
    asked = jobs.enqueue(conn, job_types, materialize_job(tenant_id=tenant_id, dataset_id=added.id), now=now)
    return Ingested(added.id, added.created, asked.id)
