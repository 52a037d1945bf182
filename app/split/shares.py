"""What each of the three processes may have: its command, its own addresses, and none of the others' (S1-65 to S1-71).

Whatever is not set apart here is shared, as handlers may need it. One account of one machine is no wall between them:
that takes accounts, or containers, of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from app.commands.refusals import Misconfigured
from app.settings import ConsoleSettings
from worker.database import APP_RW, CONSOLE_RW, OWNER, signing_in
from worker.handlers import configured
from worker.job_types import PROVISION_JOB_TYPE

CONSOLE, PROVISIONER, PRODUCT = "console", "provisioner", "product"

_OWNERS_SECRETS = (
    "MIGRATIONS_DATABASE_URL",
    "WATCHFLOOR_OWNER_PASSWORD",
    "WATCHFLOOR_APP_RW_PASSWORD",
    "WATCHFLOOR_CONSOLE_RW_PASSWORD",
)
_SET_APART = (*_OWNERS_SECRETS, "DATABASE_URL", "CONSOLE_DATABASE_URL", "WATCHFLOOR_POOLER", "PGPASSWORD", "PGUSER")
_NOT_FOR = {
    CONSOLE: ("AWS_",),
    PROVISIONER: ("WATCHFLOOR_HANDLERS", "WATCHFLOOR_MAIL_", "WATCHFLOOR_SECRET_", "WATCHFLOOR_WORKER_"),
    PRODUCT: (),
}


@dataclass(frozen=True)
class Addresses:
    """The database, as each role reaches it."""

    owner: str
    work: str
    pages: str


@dataclass(frozen=True)
class Share:
    """One process: what it runs, and its whole environment."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def addresses(settings: ConsoleSettings, owner: str) -> Addresses:
    """Those that the settings name, and for the others the owner's database with the role's own name and password."""

    def of(role: str, named: SecretStr | None = None) -> str:
        return named.get_secret_value() if named else signing_in(owner, role=role, password=passwords.get(role))

    passwords = settings.passwords
    return Addresses(of(OWNER), of(APP_RW, settings.database_url), of(CONSOLE_RW, settings.console_database_url))


def shares(settings: ConsoleSettings, known: Addresses, around: Mapping[str, str]) -> tuple[Share, ...]:
    """The three of them, made from the environment around."""
    product = _product_types(settings)
    required = settings.required_job_types
    needed = sorted({PROVISION_JOB_TYPE, *product}) if required is None else required
    common = _common(settings, known)
    parts = {
        CONSOLE: {"CONSOLE_DATABASE_URL": known.pages, "WATCHFLOOR_REQUIRED_JOB_TYPES": ",".join(needed)},
        PROVISIONER: {"MIGRATIONS_DATABASE_URL": known.owner, **_worker(PROVISIONER, [PROVISION_JOB_TYPE])},
        PRODUCT: _worker(PRODUCT, product),
    }
    serve = ("serve", "--host", settings.host, "--port", str(settings.port))
    return tuple(
        Share(name, serve if name == CONSOLE else ("worker",), {**_allowed(name, around), **common, **own})
        for name, own in parts.items()
    )


def require_apart(settings: ConsoleSettings, around: Mapping[str, str]) -> None:
    """Misconfigured when a `.env` file, which every process reads, holds what is the owner's alone."""
    told = {name.upper() for name in around}
    for name in _OWNERS_SECRETS:
        if name not in told and name.removeprefix("WATCHFLOOR_").lower() in settings.model_fields_set:
            raise Misconfigured(f"{name}: is in the .env file, which each process reads: set it in the environment")


def _product_types(settings: ConsoleSettings) -> list[str]:
    """What the product worker takes: all that has a handler and needs no owner, unless the settings name less."""
    if settings.worker_job_types:
        return list(settings.worker_job_types)
    alone = settings.model_copy(update={"job_worker_mode": "standalone", "migrations_database_url": None})
    return sorted(configured(alone).capabilities())


def _common(settings: ConsoleSettings, known: Addresses) -> dict[str, str]:
    said = {
        "DATABASE_URL": known.work,
        "WATCHFLOOR_JOB_WORKER_MODE": "standalone",
        "WATCHFLOOR_OBJECT_STORAGE_URI": settings.object_storage_uri,
        "WATCHFLOOR_POOLER": settings.pooler,
    }
    return {name: value for name, value in said.items() if value}


def _worker(name: str, job_types: Collection[str]) -> dict[str, str]:
    return {
        "WATCHFLOOR_WORKER_COMPONENT": f"{name}-worker",
        "WATCHFLOOR_WORKER_JOB_TYPES": ",".join(job_types),
    }


def _allowed(name: str, around: Mapping[str, str]) -> dict[str, str]:
    return {
        each: value
        for each, value in around.items()
        if each.upper() not in _SET_APART and not each.upper().startswith(_NOT_FOR[name])
    }
