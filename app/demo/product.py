"""What an active tenant does with the product: it hands in its orders, and asks for a model of them."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from app.demo import orders
from app.ingest.commit import ingest_commit
from app.ingest.csv_lines import read_csv
from worker.database import Connection, Engine
from worker.job_types import TRAIN_JOB_TYPE, JobTypes
from worker.product_jobs import training_job
from worker.queries import jobs
from worker.queries.tenant import trainings
from worker.tenancy import tenant_uow
from worker.training.config import TrainingConfig

BY = "shop"
UNSERVED_QUEUE = "training"
_CONFIG = TrainingConfig(target=orders.TARGET)


def put_to_work(engine: Engine, job_types: JobTypes, *, slug: str, tenant_id: UUID, served: bool) -> None:
    """Take in its orders, which bring their insights; have it trained where that is served, or where nobody is."""
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        done = ingest_commit(
            conn,
            job_types,
            tenant_id=tenant_id,
            name=orders.NAME,
            table=read_csv(orders.csv_of(slug)),
            created_by=BY,
        )
        if not served or job_types.handler(TRAIN_JOB_TYPE):
            _train(conn, job_types, tenant_id, done.dataset_id, served=served)


def _train(conn: Connection, job_types: JobTypes, tenant_id: UUID, dataset_id: UUID, *, served: bool) -> None:
    trainings.add(
        conn,
        tenant_id=tenant_id,
        dataset_id=dataset_id,
        config_hash=_CONFIG.hash,
        config=_CONFIG.document(),
        requested_by=BY,
    )
    training = training_job(tenant_id=tenant_id, dataset_id=dataset_id, config=_CONFIG)
    jobs.enqueue(conn, job_types, training if served else replace(training, queue=UNSERVED_QUEUE))
