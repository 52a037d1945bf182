"""What the built-in job types need of their process, asked once and before the first heartbeat (S1-96, S1-97)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from worker.envelope import secret_encryption_trial
from worker.errors import ConfigurationError
from worker.handlers import Registry
from worker.job_types import EMAIL_JOB_TYPE
from worker.mail import email_delivery_readiness
from worker.settings import WorkerSettings

Readiness = Mapping[str, Callable[[], None]]
"""By job type: what raises ConfigurationError when this process could not do such a job."""


def readiness_of(settings: WorkerSettings, registry: Registry) -> Readiness:
    """What is to be asked of this process; a type whose handler is a host's own is for that host to know."""
    hosts_own = registry.capabilities() - registry.built_in
    return {EMAIL_JOB_TYPE: partial(_require_mail, settings)} if EMAIL_JOB_TYPE not in hosts_own else {}


def _require_mail(settings: WorkerSettings) -> None:
    """ConfigurationError unless mail can be sent from here, and a secret that is sealed now can be opened (S1-98)."""
    if problem := email_delivery_readiness(settings) or secret_encryption_trial(settings):
        raise ConfigurationError(f"{EMAIL_JOB_TYPE}: {problem}")
