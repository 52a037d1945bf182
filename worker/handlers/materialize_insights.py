"""`materialize_insights`: compute what can be said of a dataset, in the place of what was said before (S1-63)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from worker.dataset_fields import fields_of
from worker.deployment import Deployment
from worker.insights.summary import insights_of
from worker.job_types import BUILT_IN_REPLAY, MATERIALIZE_JOB_TYPE
from worker.model import Job
from worker.nets import DurableSubscriberNet
from worker.product_jobs import whose
from worker.queries.tenant import insights
from worker.restoration import restore_insights
from worker.signals import require_wanted
from worker.tenancy import tenant_uow

if TYPE_CHECKING:
    from worker.handlers import Registry


def register(registry: Registry, deployment: Deployment) -> None:
    """Run it here, and have insights that are gone computed again."""
    run, replay = partial(materialize, deployment), BUILT_IN_REPLAY[MATERIALIZE_JOB_TYPE]
    registry.job_types.register(MATERIALIZE_JOB_TYPE, run, replay=replay)
    restore = partial(restore_insights, deployment, registry.job_types)
    registry.nets.register(DurableSubscriberNet(MATERIALIZE_JOB_TYPE, backfill=restore))


def materialize(deployment: Deployment, job: Job) -> None:
    """Safe to repeat, and beside another one at the same; a dataset that is gone needs no insights."""
    tenant_id, dataset_id = whose(job)
    with deployment.engine() as engine:
        fields = fields_of(engine, tenant_id=tenant_id, dataset_id=dataset_id)
        if fields is None:
            return
        found = list(insights_of(fields, between=require_wanted))
        require_wanted()
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            insights.replace(conn, dataset_id=dataset_id, row_count=len(fields[0].cells), found=found)
