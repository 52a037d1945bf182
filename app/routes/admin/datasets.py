"""A tenant's datasets as programs put them in, and the models that are to be trained on them."""

from __future__ import annotations

from uuid import UUID

from starlette.responses import Response

from app.api import ApiCall
from app.documents import Document
from app.errors import NotFound
from app.ingest.commit import Ingested, ingest_commit
from app.ingest.formats import Format
from app.ingest.table import Table
from worker.database import Connection
from worker.errors import InvalidInput
from worker.model import Status
from worker.new_jobs import Enqueued, NewJob
from worker.payloads import clean_text
from worker.product_jobs import training_job
from worker.queries import audit, jobs
from worker.queries.tenant import datasets, trainings
from worker.tenancy import tenant_uow
from worker.training.config import TrainingConfig


def create(call: ApiCall) -> Response:
    """Take in the body whole, or nothing of it: 201 when it is new, 200 when its content is there under that name."""
    name = clean_text(call.query.get("name", ""), field="name", limit=200)
    if not name:
        raise InvalidInput("name", "must not be empty")
    table = Format.stated(call.request.headers.get("content-type", "")).read(call.body.read())
    with tenant_uow(call.engine, tenant_id=call.tenant) as conn:
        done = _commit(call, conn, name, table)
    document = {"id": done.dataset_id, "name": name, "rows": table.row_count, "columns": table.columns}
    return Document(document | {"job_id": done.job_id}, 201 if done.created else 200)


def train(call: ApiCall) -> Response:
    """Have a model trained; the same configuration is the same job, which runs again where it failed (S1-26, S1-62)."""
    config, dataset_id = call.read(TrainingConfig), call.uuid("dataset")
    with tenant_uow(call.engine, tenant_id=call.tenant) as conn:
        dataset = datasets.get(conn, dataset_id=dataset_id)
        if dataset is None:
            raise NotFound
        if config.target not in dataset.columns:
            raise InvalidInput("target", "is no column of the dataset")
        trainings.add(
            conn,
            tenant_id=call.tenant,
            dataset_id=dataset_id,
            config_hash=config.hash,
            config=config.document(),
            requested_by=call.actor.name,
            now=call.now,
        )
        wanted = training_job(tenant_id=call.tenant, dataset_id=dataset_id, config=config)
        asked = _enqueue(call, conn, dataset.name, wanted)
    return Document({"job_id": asked.id, "status": asked.status, "config_hash": config.hash}, 202)


def _enqueue(call: ApiCall, conn: Connection, name: str, wanted: NewJob) -> Enqueued:
    """The job of that training, which runs again where it failed or was cancelled; the trail has both."""
    job_types = call.registry.job_types
    asked = jobs.enqueue(conn, job_types, wanted, now=call.now)
    resumed = asked.status in (Status.FAILED, Status.CANCELLED)
    if resumed:
        asked = jobs.enqueue(conn, job_types, wanted, retry_terminal=True, now=call.now)
    if asked.created or resumed:
        detail = {"again": True} if resumed else None
        _record(call, conn, action="model-train", target=name, job_id=asked.id, detail=detail)
    return asked


def _commit(call: ApiCall, conn: Connection, name: str, table: Table) -> Ingested:
    job_types, by = call.registry.job_types, call.actor.name
    done = ingest_commit(conn, job_types, tenant_id=call.tenant, name=name, table=table, created_by=by, now=call.now)
    if done.created:
        _record(call, conn, action="dataset-add", target=name, job_id=done.job_id)
    return done


def _record(
    call: ApiCall, conn: Connection, *, action: str, target: str, job_id: UUID, detail: dict[str, bool] | None = None
) -> None:
    audit.record(
        conn,
        actor=call.actor,
        action=action,
        target=target,
        tenant_id=call.tenant,
        job_ids=[job_id],
        detail=detail,
        now=call.now,
    )
