"""Handlers: the built-in ones, and by configuration those that the modules named in WATCHFLOOR_HANDLERS register."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from worker.bus import Bus
from worker.deployment import Deployment
from worker.errors import ConfigurationError, UnknownJobType
from worker.guidance import UNSAID, Guidance
from worker.handlers import materialize_insights, provision_tenant, send_email, train_tenant_model
from worker.job_types import Handler, JobTypes
from worker.model import DEFAULT_MAX_ATTEMPTS, RUN_SUBSCRIBER, Job
from worker.nets import Nets
from worker.redaction import OPEN, Redaction
from worker.settings import WorkerSettings
from worker.subscribers import Subscribers

_BUILT_IN = (materialize_insights, provision_tenant, send_email, train_tenant_model)


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything one process knows how to run; built once at start and passed down."""

    job_types: JobTypes = field(default_factory=JobTypes)
    subscribers: Subscribers = field(default_factory=Subscribers)
    nets: Nets = field(default_factory=Nets)
    bus: Bus = field(default_factory=Bus)
    built_in: frozenset[str] = frozenset()
    """The job types that are here whether or not anybody asked for them."""

    def handler(self, job: Job) -> Handler | None:
        """The subscriber's handler for an event job, else the job type's; None when this process has none."""
        if job.subscriber_id is None:
            return self.job_types.handler(job.job_type)
        subscriber = self.subscribers.get(job.subscriber_id)
        return subscriber.handler if subscriber else None

    def guidance(self, *, job_type: str, subscriber_id: str | None = None) -> Guidance:
        """What was declared beside the handler of such a job, for the people on call; empty where nothing was."""
        if subscriber_id is not None:
            subscriber = self.subscribers.get(subscriber_id)
            return subscriber.guidance if subscriber else UNSAID
        try:
            return self.job_types.get(job_type).guidance
        except UnknownJobType:
            return UNSAID

    def redaction(self, *, job_type: str, subscriber_id: str | None = None) -> Redaction:
        """What of such a job's payload is closed to the eye; nothing where this process does not know its handler."""
        if subscriber_id is not None:
            subscriber = self.subscribers.get(subscriber_id)
            return subscriber.redaction if subscriber else OPEN
        try:
            return self.job_types.get(job_type).redaction
        except UnknownJobType:
            return OPEN

    def closes(self, path: Sequence[str], *, handler_key: str | None = None) -> bool:
        """Whether what payloads hold at the path is closed, of one handler's jobs or of any."""
        known = {each.name: each.redaction for each in self.job_types.all()}
        known |= {each.subscriber_id: each.redaction for each in self.subscribers.all()}
        asked = [known[handler_key]] if handler_key is not None and handler_key in known else known.values()
        return any(each.covers(path) for each in asked)

    def guidance_of(self, *, handler_key: str, job_type: str) -> Guidance:
        """The same by the handler's name, which is the subscriber's where it is not the job type's."""
        subscriber = None if handler_key == job_type else handler_key
        return self.guidance(job_type=job_type, subscriber_id=subscriber)

    def capabilities(self) -> frozenset[str]:
        """The job types a worker of this process can advertise."""
        types = self.job_types.runnable()
        return (
            types | {RUN_SUBSCRIBER} | {each.job_type for each in self.subscribers.all()} if self.subscribers else types
        )


def configured(settings: WorkerSettings) -> Registry:
    """What this deployment can run: what its handler modules register, and of the built-in types what this process may.

    Where a module names no budget of attempts, the deployment's counts.
    """
    registry = load(settings.handlers or (), max_attempts=settings.max_attempts)
    asked_for = registry.job_types.runnable()
    for each in _BUILT_IN:
        each.register(registry, Deployment(settings))
    return replace(registry, built_in=registry.job_types.runnable() - asked_for)


def load(modules: Iterable[str], *, max_attempts: int = DEFAULT_MAX_ATTEMPTS) -> Registry:
    """Import each module and let its `register(registry)` add to one registry; ConfigurationError names the module."""
    registry = Registry(JobTypes(max_attempts=max_attempts), Subscribers(max_attempts=max_attempts))
    for name in modules:
        try:
            register = importlib.import_module(name).register
        except ImportError as error:
            raise ConfigurationError(f"WATCHFLOOR_HANDLERS: cannot import {name!r} ({error.name})") from error
        except AttributeError:
            raise ConfigurationError(f"WATCHFLOOR_HANDLERS: {name!r} has no register(registry)") from None
        register(registry)
    return registry
