"""Handlers by configuration: modules named in WATCHFLOOR_HANDLERS register their job types and subscribers."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from worker.errors import ConfigurationError
from worker.job_types import Handler, JobTypes
from worker.model import RUN_SUBSCRIBER, Job
from worker.subscribers import Subscribers


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything one process knows how to run; built once at start and passed down."""

    job_types: JobTypes = field(default_factory=JobTypes)
    subscribers: Subscribers = field(default_factory=Subscribers)

    def handler(self, job: Job) -> Handler | None:
        """The subscriber's handler for an event job, else the job type's; None when this process has none."""
        if job.subscriber_id is None:
            return self.job_types.handler(job.job_type)
        subscriber = self.subscribers.get(job.subscriber_id)
        return subscriber.handler if subscriber else None

    def capabilities(self) -> frozenset[str]:
        """The job types a worker of this process can advertise."""
        types = self.job_types.runnable()
        return (
            types | {RUN_SUBSCRIBER} | {each.job_type for each in self.subscribers.all()} if self.subscribers else types
        )


def load(modules: Iterable[str]) -> Registry:
    """Import each module and let its `register(registry)` add to one registry; ConfigurationError names the module."""
    registry = Registry()
    for name in modules:
        try:
            register = importlib.import_module(name).register
        except ImportError as error:
            raise ConfigurationError(f"WATCHFLOOR_HANDLERS: cannot import {name!r} ({error.name})") from error
        except AttributeError:
            raise ConfigurationError(f"WATCHFLOOR_HANDLERS: {name!r} has no register(registry)") from None
        register(registry)
    return registry
