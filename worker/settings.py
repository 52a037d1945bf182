"""Settings of the engine, read from the environment and a `.env` file, frozen after that."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

QUEUE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}", re.ASCII)

Names = Annotated[tuple[str, ...] | None, NoDecode]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


def queue_name(name: object) -> str:
    """The name itself when it is a legal queue name (S2-18 to S2-21), else ValueError."""
    if isinstance(name, str) and QUEUE_NAME.fullmatch(name):
        return name
    raise ValueError("queue names are 1 to 100 of a-z 0-9 . _ - and start with a letter or digit")


def attempts_budget(number: object) -> int:
    """The number itself when it can be a job's budget of attempts (A-44), else ValueError."""
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 1000:
        return number
    raise ValueError("max_attempts must be a whole number from 1 to 1000")


class WorkerSettings(BaseSettings):
    """One worker's configuration; every name is `WATCHFLOOR_…` in the environment unless it says otherwise."""

    model_config = SettingsConfigDict(
        env_prefix="WATCHFLOOR_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    database_url: SecretStr | None = Field(default=None, validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", validation_alias=AliasChoices("LOG_LEVEL", "log_level")
    )
    log_format: Literal["console", "json"] = Field(
        default="console", validation_alias=AliasChoices("LOG_FORMAT", "log_format")
    )
    handlers: Names = None

    worker_component: str = Field(default="worker", min_length=1, max_length=100)
    worker_job_types: Names = None
    worker_queues: Names = None
    worker_concurrency: int = Field(default=8, ge=1, le=256)
    worker_role: str | None = Field(default=None, max_length=100)
    worker_label: str | None = Field(default=None, max_length=200)

    batch_size: int = Field(default=20, ge=1, le=1000)
    lease_seconds: Seconds = 300
    max_runtime_seconds: Seconds = 1800
    max_attempts: int = Field(default=5, ge=1, le=1000)
    backoff_base_seconds: Seconds = 60
    backoff_max_seconds: Seconds = 3600
    poll_interval_seconds: Seconds = 5
    heartbeat_interval_seconds: Seconds = 10
    job_stale_after_seconds: Seconds = 900
    shutdown_grace_seconds: Seconds = 20
    relay_interval_seconds: Seconds = 5
    reaper_interval_seconds: Seconds = 60
    pruner_interval_seconds: Seconds = 3600
    retention_days: int = Field(default=30, ge=0, le=36_500)

    @field_validator("handlers", "worker_job_types", "worker_queues", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(dict.fromkeys(item.strip() for item in value.split(",") if item.strip()))

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

    @model_validator(mode="after")
    def _timing(self) -> Self:
        beat, lease = self.heartbeat_interval_seconds, self.lease_seconds
        if lease < 3 * beat:
            raise ValueError(f"lease_seconds ({lease:g}) must be at least 3 x heartbeat_interval_seconds ({beat:g})")
        if self.max_runtime_seconds < lease:
            raise ValueError(f"max_runtime_seconds ({self.max_runtime_seconds:g}) must not be below lease_seconds")
        if self.backoff_max_seconds < self.backoff_base_seconds:
            raise ValueError("backoff_max_seconds must not be below backoff_base_seconds")
        return self

    @property
    def stale_after_seconds(self) -> float:
        """Silence after which an instance is called stale: two missed beats and a third due (S2-155)."""
        return 3 * self.heartbeat_interval_seconds
