"""One training from its job to its row."""

from __future__ import annotations

from worker.dataset_fields import fields_of
from worker.deployment import Deployment
from worker.model import Job
from worker.product_jobs import whose
from worker.queries.tenant import models
from worker.signals import require_wanted
from worker.tenancy import tenant_uow
from worker.training.artefact import artefact
from worker.training.config import TrainingConfig
from worker.training.learning import learn
from worker.training.outline import outline


def train(deployment: Deployment, job: Job) -> None:
    """Safe to repeat: the model takes the place of the one before it. A dataset that is gone needs no model."""
    tenant_id, dataset_id = whose(job)
    config = TrainingConfig.model_validate(job.payload.get("config"))
    storage = deployment.storage()
    with deployment.engine() as engine:
        fields = fields_of(engine, tenant_id=tenant_id, dataset_id=dataset_id)
        if fields is None:
            return
        learned = learn(outline(fields, config), config, between=require_wanted)
        made = artefact(learned.model, tenant_id=tenant_id, dataset_id=dataset_id, config_hash=config.hash)
        require_wanted()
        storage.put(made.key, made.data)
        trained = models.Trained(config.target, config.hash, config.document(), made.key, made.hash, learned.metrics)
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            known = models.put(conn, dataset_id=dataset_id, trained=trained)
        if known is None:
            storage.delete(made.key)
