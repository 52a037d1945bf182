"""`provision_tenant`: make a tenant's place, step by step, and open it (S1-61)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from worker.deployment import Deployment
from worker.job_types import BUILT_IN_REPLAY, PROVISION_JOB_TYPE
from worker.model import Job
from worker.provisioning import steps
from worker.provisioning.strategies import strategy_for

if TYPE_CHECKING:
    from worker.handlers import Registry


def register(registry: Registry, deployment: Deployment) -> None:
    """Run it here, where this process has the rights that it takes (S1-66)."""
    if deployment.may_provision:
        run, replay = partial(provision, deployment), BUILT_IN_REPLAY[PROVISION_JOB_TYPE]
        registry.job_types.register(PROVISION_JOB_TYPE, run, replay=replay)


def provision(deployment: Deployment, job: Job) -> None:
    """Take the steps that are left; JobCancelled between two of them when somebody asked for it."""
    assert job.tenant_id  # by constraint
    with deployment.engine() as engine, deployment.owner_engine() as owner:
        strategy = strategy_for(job.tenant_id, engine=engine, owner=owner, storage=deployment.storage)
        steps.run(job, owner, strategy.steps())
