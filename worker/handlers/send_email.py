"""`send_email`: open a sealed mail and hand it over, both only now (S1-124)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from worker.deployment import Deployment
from worker.envelope import secret_encryption_readiness
from worker.job_types import BUILT_IN_REPLAY, EMAIL_JOB_TYPE
from worker.mail import email_delivery_readiness
from worker.mail_jobs import QUEUE, opened
from worker.model import Job

if TYPE_CHECKING:
    from worker.handlers import Registry


def register(registry: Registry, deployment: Deployment) -> None:
    """Run it where mail can be sent and secrets be opened, else do not advertise it (S1-100).

    A host that has a handler of its own for this type keeps it.
    """
    settings = deployment.settings
    if registry.job_types.handler(EMAIL_JOB_TYPE):
        return
    if email_delivery_readiness(settings) is None and secret_encryption_readiness(settings) is None:
        deliver = partial(deliver_email_job, deployment)
        registry.job_types.register(EMAIL_JOB_TYPE, deliver, queue=QUEUE, replay=BUILT_IN_REPLAY[EMAIL_JOB_TYPE])


def deliver_email_job(deployment: Deployment, job: Job) -> None:
    """At least once: a repeat after a lost acknowledgement carries the id of the first (S1-126, S1-130)."""
    mailer = deployment.mailer()
    message = opened(deployment.envelope(), job.payload, job_id=job.id, tenant_id=job.tenant_id)
    mailer.send(message, delivery_id=job.id)
