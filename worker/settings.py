"""Settings of the engine, read from the environment and a `.env` file, frozen after that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, JsonValue, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from worker.secret_keys import keys_of
from worker.storage_places import place_of

QUEUE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}", re.ASCII)


def _number(value: object) -> object:
    """The value itself, unless it is one of the two that Python takes for 1 and 0 (A-44)."""
    if isinstance(value, bool):
        raise ValueError("must be a number")  # a TypeError would not be a ValidationError
    return value


Names = Annotated[tuple[str, ...] | None, NoDecode]
Whole = Annotated[int, BeforeValidator(_number)]
Seconds = Annotated[float, BeforeValidator(_number), Field(gt=0, le=86_400, allow_inf_nan=False)]
Mode = Literal["in_process", "standalone"]
Profile = Literal["local", "distributed", "custom"]


def queue_name(name: object) -> str:
    """The name itself when it is a legal queue name (S2-18 to S2-21), else ValueError."""
    if isinstance(name, str) and QUEUE_NAME.fullmatch(name):
        return name
    raise ValueError("queue names are 1 to 100 of a-z 0-9 . _ - and start with a letter or digit")


def names(given: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """The names, trimmed and each once, from a list or a text with commas between; None stays None (S1-60)."""
    if given is None:
        return None
    items = given.split(",") if isinstance(given, str) else given
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def attempts_budget(number: object) -> int:
    """The number itself when it can be a job's budget of attempts (A-44), else ValueError."""
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 1000:
        return number
    raise ValueError("max_attempts must be a whole number from 1 to 1000")


class WorkerSettings(BaseSettings):
    """One worker's configuration; every name is `WATCHFLOOR_…` in the environment unless it says otherwise."""

    model_config = SettingsConfigDict(
        env_prefix="WATCHFLOOR_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,  # which has the passwords of all addresses in it
    )

    database_url: SecretStr | None = Field(default=None, validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    # The owner's address: for `watchfloor migrate` and the provisioner alone, whose work is DDL
    migrations_database_url: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("MIGRATIONS_DATABASE_URL", "migrations_database_url")
    )

    @field_validator("migrations_database_url")
    @classmethod
    def _none_if_empty(cls, value: SecretStr | None) -> SecretStr | None:
        """A variable that is left empty names nothing, least of all whoever owns the schemas."""
        return value or None

    pooler: Literal["transaction"] | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", validation_alias=AliasChoices("LOG_LEVEL", "log_level")
    )
    log_format: Literal["console", "json"] = Field(
        default="console", validation_alias=AliasChoices("LOG_FORMAT", "log_format")
    )
    handlers: Names = None

    profile: Profile = "local"
    job_worker_mode: Mode = "in_process"
    web_workers: Whole = Field(default=1, ge=1, le=1000)

    worker_component: str = Field(default="worker", min_length=1, max_length=100)
    worker_job_types: Names = None
    worker_queues: Names = None
    worker_concurrency: Whole = Field(default=8, ge=1, le=1000)
    worker_role: str | None = Field(default=None, max_length=100)
    worker_label: str | None = Field(default=None, max_length=200)
    worker_metadata: Annotated[dict[str, JsonValue] | None, NoDecode] = None
    release: str | None = Field(default=None, min_length=1, max_length=100)

    batch_size: Whole = Field(default=20, ge=1, le=1000)
    lease_seconds: Seconds = 300
    max_runtime_seconds: Seconds = 1800
    max_attempts: Whole = Field(default=5, ge=1, le=1000)
    backoff_base_seconds: Seconds = 60
    backoff_max_seconds: Seconds = 3600
    poll_interval_seconds: Seconds = 5
    heartbeat_interval_seconds: Seconds = 10
    job_stale_after_seconds: Seconds = 900
    shutdown_grace_seconds: Seconds = 20
    relay_interval_seconds: Seconds = 5
    reaper_interval_seconds: Seconds = 60
    pruner_interval_seconds: Seconds = 3600
    backfill_interval_seconds: Seconds = 3600
    retention_days: Whole = Field(default=30, ge=0, le=36_500)

    object_storage_uri: str | None = None
    object_storage_deadline_seconds: Seconds = 30

    secret_keys: SecretStr | None = None
    secret_deadline_seconds: Seconds = 10

    @field_validator("secret_keys")
    @classmethod
    def _keys(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            keys_of(value.get_secret_value())
        return value

    mail_uri: SecretStr | None = None
    mail_deadline_seconds: Seconds = 90

    @field_validator("object_storage_uri")
    @classmethod
    def _place(cls, value: str | None) -> str | None:
        if value is not None:
            place_of(value)
        return value

    @field_validator("handlers", "worker_job_types", "worker_queues", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return names(value) if isinstance(value, str) else value

    @field_validator("worker_metadata", mode="before")
    @classmethod
    def _object(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    @field_validator("worker_job_types", "worker_queues")
    @classmethod
    def _not_empty(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value == ():
            raise ValueError("must not be empty: leave it out to mean all")
        return value

    @field_validator("worker_queues")
    @classmethod
    def _queue_names(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return value and tuple(queue_name(name) for name in value)

    @property
    def stale_after_seconds(self) -> float:
        """Silence after which an instance is called stale: two missed beats and a third due (S2-155)."""
        return 3 * self.heartbeat_interval_seconds
