"""Which shapes a deployment may have, and what is refused before anything starts: pure rules (S2-75 to S2-83)."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import SecretStr

from worker.database import is_file, is_server, url_of
from worker.errors import ConfigurationError, SettingRefused, TopologyRefused
from worker.job_types import PROVISION_JOB_TYPE
from worker.mail_places import MEMORY
from worker.settings import Mode, WorkerSettings, queue_name

MOST_COMPONENT, MOST_ROLE, MOST_LABEL = 100, 100, 200
MOST_METADATA_BYTES = 16 * 1024

Settings = TypeVar("Settings", bound=WorkerSettings)


def several_processes(settings: WorkerSettings) -> str | None:
    """The setting that makes this deployment more than one process, with its value; None when it is one.

    Whatever such processes could not share is refused by it: a database file, a mailbox in memory.
    """
    if settings.profile == "distributed":
        return "WATCHFLOOR_PROFILE=distributed"
    if settings.web_workers > 1:
        return f"WATCHFLOOR_WEB_WORKERS={settings.web_workers}"
    if settings.job_worker_mode == "standalone":
        return "WATCHFLOOR_JOB_WORKER_MODE=standalone"
    return None


def address(settings: WorkerSettings) -> str:
    """Where the database is; ConfigurationError when the settings do not say."""
    if not settings.database_url:
        raise ConfigurationError("DATABASE_URL is not set")
    return url_of(settings.database_url.get_secret_value(), pooled=settings.pooler is not None)


def as_owner(settings: Settings) -> Settings:
    """The settings of whoever owns the schemas, past any pooler; where no address is the owner's, everybody is.

    TopologyRefused where that cannot be the address of one of several roles.
    """
    if not (owner := settings.migrations_database_url):
        return settings
    _require_roles(settings, "MIGRATIONS_DATABASE_URL", owner)
    return settings.model_copy(update={"database_url": owner, "pooler": None})


def owner_address(settings: WorkerSettings) -> str:
    """The owner's address."""
    return address(as_owner(settings))


def require_same_database(settings: WorkerSettings, name: str, other: SecretStr | None) -> None:
    """TopologyRefused where the address of another role cannot be of the database that DATABASE_URL names."""
    if other is None:
        return
    if settings.database_url is None:
        raise TopologyRefused(f"{name} is set, but DATABASE_URL is not: both are addresses of one database")
    _require_roles(settings, name, other)


def _require_roles(settings: WorkerSettings, name: str, other: SecretStr) -> None:
    """A file, named by either, has none; what it says is not repeated, it may hold a password."""
    text = other.get_secret_value()
    if is_file(text) or (settings.database_url and is_file(address(settings))):
        raise TopologyRefused(f"{name}: a SQLite database knows no roles: leave it out")
    if not is_server(text):
        raise TopologyRefused(f"{name}: must be like postgresql://user:password@host:5432/name")


def may_provision(settings: WorkerSettings) -> bool:
    """Whether this process may do DDL: it does everything itself, or has been given the owner's address."""
    return settings.job_worker_mode == "in_process" or settings.migrations_database_url is not None


def beyond(settings: WorkerSettings) -> frozenset[str]:
    """The job types that are never this process's to run, whatever handlers it has."""
    return frozenset() if may_provision(settings) else frozenset({PROVISION_JOB_TYPE})


def require_split(settings: WorkerSettings) -> None:
    """TopologyRefused unless a standalone worker with the owner's address provisions tenants, and does nothing else.

    It has to know where their objects are to lie: each provisioning would come to nothing at the same step.
    """
    if settings.job_worker_mode == "in_process":
        return
    wanted = settings.worker_job_types or ()
    if settings.migrations_database_url and wanted != (PROVISION_JOB_TYPE,):
        raise TopologyRefused(
            "MIGRATIONS_DATABASE_URL: is for the provisioner alone: a worker that has it takes nothing but"
            f" WATCHFLOOR_WORKER_JOB_TYPES={PROVISION_JOB_TYPE}"
        )
    if not may_provision(settings) and PROVISION_JOB_TYPE in wanted:
        raise TopologyRefused(
            f"MIGRATIONS_DATABASE_URL is not set: WATCHFLOOR_WORKER_JOB_TYPES={PROVISION_JOB_TYPE} needs the owner"
        )
    if PROVISION_JOB_TYPE in wanted and not settings.object_storage_uri:
        raise TopologyRefused(
            "WATCHFLOOR_OBJECT_STORAGE_URI is not set: the provisioner tries what each tenant stores there"
        )


def shaped(settings: Settings, mode: Mode, *, starts: str) -> Settings:
    """The settings with the mode that `starts` implies; TopologyRefused where they say another or cannot have it."""
    if "job_worker_mode" in settings.model_fields_set:
        require_mode(settings, mode, starts=starts)
    require_same_database(settings, "MIGRATIONS_DATABASE_URL", settings.migrations_database_url)
    declared = settings.model_copy(update={"job_worker_mode": mode})
    require_shareable(declared, starts=starts)
    return declared


def require_mode(settings: WorkerSettings, mode: Mode, *, starts: str) -> None:
    """TopologyRefused unless the deployment is declared to run its workers that way (S2-79, S2-83)."""
    declared = settings.job_worker_mode
    if declared != mode:
        raise TopologyRefused(f"WATCHFLOOR_JOB_WORKER_MODE={declared}: {starts} needs {mode}")


def lonely_mailbox(settings: WorkerSettings) -> str | None:
    """Why mail may not be kept in memory here: where there are several processes, nobody would ever see it (S2-121)."""
    cause = several_processes(settings)
    if cause and settings.mail_uri and settings.mail_uri.get_secret_value() == MEMORY:
        return f"WATCHFLOOR_MAIL_URI={MEMORY} keeps mail in one process, and with {cause} there are more"
    return None


def require_shareable(settings: WorkerSettings, *, starts: str) -> None:
    """TopologyRefused when several processes would share what only one can have, a file or a mailbox in memory.

    The cause is named (S2-76).
    """
    if lonely := lonely_mailbox(settings):
        raise TopologyRefused(f"{lonely}, so {starts} needs a mail server")
    cause = several_processes(settings)
    if cause and settings.database_url and is_file(address(settings)):
        raise TopologyRefused(
            f"{cause}: that is more than the one process a SQLite database serves, so {starts} needs a PostgreSQL"
        )


def require_timing(settings: WorkerSettings) -> None:
    """SettingRefused unless two missed beats leave a lease standing and no handler is given up within one."""
    beat, lease = settings.heartbeat_interval_seconds, settings.lease_seconds
    if lease < 3 * beat:
        raise SettingRefused(
            f"WATCHFLOOR_LEASE_SECONDS: {lease:g} must be at least 3 x WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS ({beat:g})"
        )
    if (longest := settings.max_runtime_seconds) < lease:
        raise SettingRefused(
            f"WATCHFLOOR_MAX_RUNTIME_SECONDS: {longest:g} must not be below WATCHFLOOR_LEASE_SECONDS ({lease:g})"
        )
    if (most := settings.backoff_max_seconds) < (first := settings.backoff_base_seconds):
        raise SettingRefused(
            f"WATCHFLOOR_BACKOFF_MAX_SECONDS: {most:g} must not be below WATCHFLOOR_BACKOFF_BASE_SECONDS ({first:g})"
        )


def require_queues(settings: WorkerSettings) -> None:
    """SettingRefused when the list of queues is empty or names one that cannot be; none at all means every queue."""
    if settings.worker_queues is None:
        return
    if not settings.worker_queues:
        raise SettingRefused("WATCHFLOOR_WORKER_QUEUES: must not be empty: leave it out to mean all")
    for name in settings.worker_queues:
        try:
            queue_name(name)
        except ValueError as error:
            raise SettingRefused(f"WATCHFLOOR_WORKER_QUEUES: {error}") from None


def require_description(settings: WorkerSettings) -> None:
    """SettingRefused when what a worker says of itself would not fit its row: lengths are refused, never cut."""
    for setting, text, most in (
        ("WATCHFLOOR_WORKER_COMPONENT", settings.worker_component, MOST_COMPONENT),
        ("WATCHFLOOR_WORKER_ROLE", settings.worker_role, MOST_ROLE),
        ("WATCHFLOOR_WORKER_LABEL", settings.worker_label, MOST_LABEL),
    ):
        if text is not None and len(text) > most:
            raise SettingRefused(f"{setting}: at most {most} characters")
    if not settings.worker_component:
        raise SettingRefused("WATCHFLOOR_WORKER_COMPONENT: must not be empty")
    try:
        document = json.dumps(settings.worker_metadata, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        raise SettingRefused("WATCHFLOOR_WORKER_METADATA: must be JSON, its numbers finite") from None
    if len(document) > MOST_METADATA_BYTES:
        raise SettingRefused(f"WATCHFLOOR_WORKER_METADATA: at most {MOST_METADATA_BYTES} bytes of JSON")
