"""Which provider vouches for operators, and which of its words gives which role."""

from __future__ import annotations

from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

from worker.queries.operators import Role
from worker.settings import Names, WorkerSettings

Roles = Annotated[dict[str, Role] | None, NoDecode]


class OidcSettings(WorkerSettings):
    """All of it is left out where nobody signs in at a provider."""

    oidc_issuer: str | None = Field(default=None, max_length=500)
    oidc_client_id: str | None = Field(default=None, max_length=500)
    oidc_client_secret: SecretStr | None = None
    oidc_label: str = Field(default="single sign-on", min_length=1, max_length=40)
    oidc_scopes: str = "openid profile email"
    oidc_role_claim: str = Field(default="groups", min_length=1)
    oidc_roles: Roles = None
    oidc_default_role: Role | None = None
    oidc_domains: Names = None

    @field_validator("oidc_issuer")
    @classmethod
    def _over_tls(cls, value: str | None) -> str | None:
        """Compared to the letter with what the provider says of itself, so nothing is changed about it."""
        if not value:
            return None
        parts = urlsplit(value)
        if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError("must be an https address without a query, as the provider writes it")
        return value

    @field_validator("oidc_scopes")
    @classmethod
    def _open_id(cls, value: str) -> str:
        if "openid" not in value.split():
            raise ValueError("must have `openid` among them")
        return value

    @field_validator("oidc_domains", mode="before")
    @classmethod
    def _domain_names(cls, value: Any) -> Any:
        return cls._split(value.lower() if isinstance(value, str) else value)

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def _by_group(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        pairs = [pair.rpartition("=") for pair in value.split(",") if pair.strip()]
        if any(not name.strip() for name, _, _ in pairs):
            raise ValueError("must be like oncall=operator, platform-admins=admin")
        return {name.strip(): role.strip() for name, _, role in pairs}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.oidc_issuer is None:
            return self
        if not self.oidc_client_id:
            raise ValueError("WATCHFLOOR_OIDC_ISSUER is set, but WATCHFLOOR_OIDC_CLIENT_ID is not")
        if not (self.oidc_roles or self.oidc_default_role):
            raise ValueError(
                "WATCHFLOOR_OIDC_ISSUER is set, but no role is given to anybody: "
                "set WATCHFLOOR_OIDC_ROLES or WATCHFLOOR_OIDC_DEFAULT_ROLE"
            )
        return self
