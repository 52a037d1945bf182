"""The nets below what is derived: whatever was asked for and is gone is asked for again (S2-62)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from uuid import UUID

from worker.database import Engine, Row, read_only
from worker.deployment import Deployment
from worker.errors import ObjectMissing, TenantNotReady, UnknownTenant
from worker.job_types import JobTypes
from worker.product_jobs import enqueue_again, materialize_job, training_job
from worker.queries import tenants
from worker.queries.tenant import datasets, trainings
from worker.tenancy import tenant_uow
from worker.training.config import TrainingConfig

PORTION = 200
_FIRST = UUID(int=0)


def restore_insights(deployment: Deployment, job_types: JobTypes) -> None:
    """Have insights computed of each dataset that has none."""
    with deployment.engine() as engine:
        for tenant_id in _active(engine):
            with suppress(UnknownTenant, TenantNotReady):
                for dataset_id in _without_insights(engine, tenant_id):
                    with tenant_uow(engine, tenant_id=tenant_id) as conn:
                        enqueue_again(conn, job_types, materialize_job(tenant_id=tenant_id, dataset_id=dataset_id))


def restore_models(deployment: Deployment, job_types: JobTypes) -> None:
    """Have a model trained for each training that has none, or none whose artefact is what was stored."""
    with deployment.engine() as engine:
        for tenant_id in _active(engine):
            with suppress(UnknownTenant, TenantNotReady):
                for training in _trainings(engine, tenant_id):
                    if training.artefact_key is None or not _is_whole(deployment, training):
                        _train_again(engine, job_types, tenant_id, training)


def _train_again(engine: Engine, job_types: JobTypes, tenant_id: UUID, training: Row) -> None:
    config = TrainingConfig.model_validate(training.config)
    job = training_job(tenant_id=tenant_id, dataset_id=training.dataset_id, config=config)
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        enqueue_again(conn, job_types, job)


def _is_whole(deployment: Deployment, training: Row) -> bool:
    """Whether the artefact is there as it was stored; taken on trust by a process that knows no storage."""
    if deployment.settings.object_storage_uri is None:
        return True
    stored: str = training.artefact_hash
    try:
        return hashlib.sha256(deployment.storage().get(training.artefact_key)).hexdigest() == stored
    except ObjectMissing:
        return False


def _active(engine: Engine) -> Iterator[UUID]:
    """The tenants that should have a place of their own, a portion at a time."""
    portion = _tenants(engine, after=None)
    while portion:
        for tenant in portion:
            if tenant.onboarding_status == "active":
                yield tenant.id
        portion = _tenants(engine, after=portion[-1].slug)


def _tenants(engine: Engine, *, after: str | None) -> Sequence[Row]:
    with read_only(engine).begin() as conn:
        return tenants.listed(conn, after=after, limit=PORTION)


def _without_insights(engine: Engine, tenant_id: UUID) -> Iterator[UUID]:
    last: UUID | None = _FIRST
    while last is not None:
        with tenant_uow(read_only(engine), tenant_id=tenant_id) as conn:
            portion = datasets.without_insights(conn, after=last, limit=PORTION)
        yield from portion
        last = portion[-1] if portion else None


def _trainings(engine: Engine, tenant_id: UUID) -> Iterator[Row]:
    last: tuple[UUID, str] | None = (_FIRST, "")
    while last is not None:
        with tenant_uow(read_only(engine), tenant_id=tenant_id) as conn:
            portion = trainings.after(conn, dataset_id=last[0], config_hash=last[1], limit=PORTION)
        yield from portion
        last = (portion[-1].dataset_id, portion[-1].config_hash) if portion else None
