"""`train_tenant_model`: train a model on a dataset, keep it in the object storage and its metrics with it (S1-62)."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from worker.deployment import Deployment
from worker.job_types import BUILT_IN_REPLAY, TRAIN_JOB_TYPE
from worker.model import Job
from worker.nets import DurableSubscriberNet
from worker.restoration import restore_models

if TYPE_CHECKING:
    from worker.handlers import Registry


def register(registry: Registry, deployment: Deployment) -> None:
    """Run it where scikit-learn and a place for the models are, else do not advertise it; have lost models trained."""
    if find_spec("sklearn") and deployment.settings.object_storage_uri:
        replay = BUILT_IN_REPLAY[TRAIN_JOB_TYPE]
        registry.job_types.register(TRAIN_JOB_TYPE, partial(_train, deployment), replay=replay)
    restore = partial(restore_models, deployment, registry.job_types)
    registry.nets.register(DurableSubscriberNet(TRAIN_JOB_TYPE, backfill=restore))


def _train(deployment: Deployment, job: Job) -> None:
    # Loaded with the first job: it takes seconds and a hundred megabytes, which most processes never need
    import_module("worker.training.training").train(deployment, job)
