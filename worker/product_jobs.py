"""The jobs that derive something from a dataset: what they carry, and the key that has each be one job only."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from uuid import UUID

from worker.database import Connection
from worker.errors import InvalidInput
from worker.job_types import MATERIALIZE_JOB_TYPE, TRAIN_JOB_TYPE, JobTypes
from worker.model import Job, Status
from worker.new_jobs import NewJob
from worker.queries import jobs
from worker.training.config import TrainingConfig


def materialize_job(*, tenant_id: UUID, dataset_id: UUID) -> NewJob:
    """Compute the insights of a dataset (S1-63)."""
    key = f"materialize:{tenant_id}:{dataset_id}"
    return NewJob(MATERIALIZE_JOB_TYPE, {"dataset_id": str(dataset_id)}, tenant_id, idempotency_key=key)


def training_job(*, tenant_id: UUID, dataset_id: UUID, config: TrainingConfig) -> NewJob:
    """Train a model on a dataset; the same configuration is the same job (S1-26, S1-62)."""
    key = f"train:{tenant_id}:{dataset_id}:{config.hash}"
    payload = {"dataset_id": str(dataset_id), "config": config.document()}
    return NewJob(TRAIN_JOB_TYPE, payload, tenant_id, idempotency_key=key)


def whose(job: Job) -> tuple[UUID, UUID]:
    """The tenant and the dataset that a job is about; InvalidInput when it does not say."""
    if job.tenant_id is None:
        raise InvalidInput("tenant_id", "is missing")
    try:
        return job.tenant_id, UUID(job.payload["dataset_id"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInput("payload.dataset_id", "is not the id of a dataset") from None


def enqueue_again(conn: Connection, job_types: JobTypes, new: NewJob) -> bool:
    """Have a job of that work once more, unless one is on its way or ended otherwise than well; whether it is new.

    A dead letter is for a person to replay, and what somebody cancelled stays so. The key of work that was done keeps
    its job, so another one carries a number, and whoever asks meanwhile gets the same.
    """
    for ordinal in count(1):
        key = new.idempotency_key if ordinal == 1 else f"{new.idempotency_key}:{ordinal}"
        asked = jobs.enqueue(conn, job_types, replace(new, idempotency_key=key))
        if asked.created or asked.status != Status.SUCCEEDED:
            return asked.created
    raise AssertionError("there is no last number")
