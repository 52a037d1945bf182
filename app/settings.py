"""Settings of the console: the engine's, and what a browser's visit needs."""

from __future__ import annotations

import re
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator

from app.oidc.settings import OidcSettings
from app.second_factor.settings import SecondFactorSettings
from app.thresholds import Thresholds
from worker import topology
from worker.database import APP_RW, CONSOLE_RW, OWNER
from worker.settings import Names, Whole

TRACE_URL = re.compile(r"https?://[^\s/{}@]+/[^\s{}]*\{trace_id\}[^\s{}]*", re.ASCII)
ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/?", re.ASCII | re.IGNORECASE)

EnvironmentKind = Literal["production", "staging", "other"]
PRODUCTION = frozenset({"production", "prod", "live"})
STAGING = frozenset({"staging", "stage", "preproduction", "preprod"})


class ConsoleSettings(OidcSettings, SecondFactorSettings, Thresholds):
    """One console's configuration; every name is `WATCHFLOOR_…` in the environment unless it says otherwise."""

    # The address of the pages, whose role may do no more than their buttons
    console_database_url: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("CONSOLE_DATABASE_URL", "console_database_url")
    )
    # What `watchfloor migrate` gives the roles that it makes
    owner_password: SecretStr | None = None
    app_rw_password: SecretStr | None = None
    console_rw_password: SecretStr | None = None
    host: str = Field(default="127.0.0.1", validation_alias=AliasChoices("HOST", "host"))
    port: int = Field(default=8000, ge=0, le=65_535, validation_alias=AliasChoices("PORT", "port"))
    # Where browsers reach the console, as links in mail have it
    url: str | None = None
    # Where a trace is looked at, as in https://traces.example.org/trace/{trace_id}
    trace_url: str | None = Field(default=None, max_length=500)
    environment: str = Field(default="local", min_length=1, max_length=40)
    allowed_hosts: Names = None
    trusted_proxies: Names = None
    secure_cookies: bool | None = None
    session_hours: float = Field(default=12, gt=0, le=24 * 90, allow_inf_nan=False)
    session_idle_hours: float = Field(default=2, gt=0, le=24 * 90, allow_inf_nan=False)
    streams_per_operator: int = Field(default=20, ge=1, le=1000)
    console_pool_size: int = Field(default=8, ge=1, le=100)
    required_job_types: Names = None
    undo_seconds: Whole = Field(default=8, ge=0, le=3600)

    @field_validator("allowed_hosts", "trusted_proxies", "required_job_types", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return cls._split(value)

    @field_validator("url")
    @classmethod
    def _origin(cls, value: str | None) -> str | None:
        if not value:
            return None
        if ORIGIN.fullmatch(value) is None:
            raise ValueError("must be like https://console.example.org, with no path")
        return value.rstrip("/").lower()

    @field_validator("trace_url")
    @classmethod
    def _template(cls, value: str | None) -> str | None:
        if value and TRACE_URL.fullmatch(value) is None:
            raise ValueError("must be like https://traces.example.org/trace/{trace_id}")
        return value or None

    @field_validator("console_database_url")
    @classmethod
    def _pages(cls, value: SecretStr | None) -> SecretStr | None:
        return cls._none_if_empty(value)

    @field_validator("secure_cookies", mode="before")
    @classmethod
    def _auto(cls, value: Any) -> Any:
        """`auto` follows the scheme of each request; `true` is for a proxy that ends TLS without saying so."""
        return None if value == "auto" else value

    @model_validator(mode="after")
    def _of_one_database(self) -> Self:
        if self.console_database_url and not self.database_url:
            raise ValueError("CONSOLE_DATABASE_URL is set, but DATABASE_URL is not: both are addresses of one database")
        return self

    @property
    def of_pages(self) -> Self:
        """The same with the pages' address as the database's; TopologyRefused where that cannot be one of several."""
        topology.require_same_database(self, "CONSOLE_DATABASE_URL", self.console_database_url)
        return self.model_copy(update={"database_url": self.console_database_url or self.database_url})

    @property
    def passwords(self) -> dict[str, SecretStr]:
        """Those that are set, by role."""
        every = {OWNER: self.owner_password, APP_RW: self.app_rw_password, CONSOLE_RW: self.console_rw_password}
        return {role: password for role, password in every.items() if password}

    @property
    def environment_kind(self) -> EnvironmentKind:
        """What its name says that it is: `production`, `prod-eu` and `live` are meant to look like nothing else."""
        words = set(re.split(r"[^a-z]+", self.environment.lower()))
        return "production" if words & PRODUCTION else "staging" if words & STAGING else "other"

    @property
    def address(self) -> str:
        """Where browsers reach the console: as it is set, or else where it listens on this machine."""
        if self.url:
            return self.url
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)  # noqa: S104 - compared only
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that the console answers to."""
        named = urlsplit(self.url).hostname if self.url else None
        return (self.host, *(self.allowed_hosts or ()), *((named,) if named else ()))
