"""What must hold before a worker says that it lives: it can do whatever it would advertise (S1-58, S1-95 to S1-100)."""

from __future__ import annotations

import os
import socket
from importlib.metadata import PackageNotFoundError, version

from worker import topology
from worker.errors import ConfigurationError, SettingRefused, UnknownJobType
from worker.handlers import Registry
from worker.model import new_id
from worker.queries.workers import Instance
from worker.runtime.readiness import Readiness, readiness_of
from worker.settings import WorkerSettings


def validate(settings: WorkerSettings, registry: Registry, readiness: Readiness | None = None) -> frozenset[str]:
    """The job types this worker takes; ConfigurationError when anything it would advertise does not hold.

    In this order: times, the database's roles, job types, queues, what it says of itself, readiness of each type.
    """
    known = readiness_of(settings, registry) if readiness is None else readiness
    topology.require_timing(settings)
    topology.require_split(settings)
    wanted = _job_types(settings, registry, known)
    topology.require_queues(settings)
    topology.require_description(settings)
    for name in sorted(wanted & known.keys()):
        known[name]()
    return wanted


def _job_types(settings: WorkerSettings, registry: Registry, readiness: Readiness) -> frozenset[str]:
    if settings.worker_job_types == ():
        raise SettingRefused("WATCHFLOOR_WORKER_JOB_TYPES: must not be empty: leave it out to mean all")
    able = registry.capabilities() - topology.beyond(settings)
    wanted = able if settings.worker_job_types is None else frozenset(settings.worker_job_types)
    try:
        registry.job_types.check(wanted - able)
    except UnknownJobType as error:
        raise SettingRefused(f"WATCHFLOOR_WORKER_JOB_TYPES: {error}") from None
    if unable := wanted - able:
        for name in sorted(unable & readiness.keys()):
            readiness[name]()  # which says why it was not registered
        raise ConfigurationError(f"WATCHFLOOR_WORKER_JOB_TYPES: no handler here for {', '.join(sorted(unable))}")
    if not wanted:
        raise ConfigurationError("WATCHFLOOR_HANDLERS: nothing is registered that a worker could run")
    return wanted


def new_instance(settings: WorkerSettings, job_types: frozenset[str]) -> Instance:
    """This start of a worker, under an id that no other start ever has (A-04)."""
    return Instance(
        instance_id=str(new_id()),
        component=settings.worker_component,
        job_types=tuple(sorted(job_types)),
        queues=settings.worker_queues,
        concurrency=settings.worker_concurrency,
        heartbeat_interval_seconds=settings.heartbeat_interval_seconds,
        role=settings.worker_role,
        label=settings.worker_label,
        metadata=settings.worker_metadata,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=settings.release or _version(),
    )


def _version() -> str | None:
    try:
        return version("watchfloor")
    except PackageNotFoundError:  # run from a checkout
        return None
