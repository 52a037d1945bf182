"""What a provider publishes about itself, checked before anything in it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from authlib.oidc.discovery import get_well_known_url

from app.oidc.problems import Unreachable

_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_BASIC, _POST = "client_secret_basic", "client_secret_post"


@dataclass(frozen=True, slots=True)
class Description:
    """Where it is asked what, and how it signs."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    algorithms: tuple[str, ...]
    auth_methods: tuple[str, ...]

    def auth_method(self, secret: str | None) -> str:
        """How the console proves who it is when it brings a code."""
        if secret is None:
            return "none"
        return _POST if _POST in self.auth_methods and _BASIC not in self.auth_methods else _BASIC


def described(issuer: str, document: Callable[[str], Any]) -> Description:
    """What the issuer says at its well-known address; Unreachable when it says it of somebody else."""
    known = document(get_well_known_url(issuer, external=True))
    if not isinstance(known, dict) or known.get("issuer") != issuer:
        raise Unreachable("it calls itself by another name than WATCHFLOOR_OIDC_ISSUER")
    if any(not _is_over_tls(known.get(each)) for each in _ENDPOINTS):
        raise Unreachable("it names an address that is not https")
    return Description(
        issuer=issuer,
        authorization_endpoint=known["authorization_endpoint"],
        token_endpoint=known["token_endpoint"],
        jwks_uri=known["jwks_uri"],
        algorithms=_listed(known.get("id_token_signing_alg_values_supported")) or ("RS256",),
        auth_methods=_listed(known.get("token_endpoint_auth_methods_supported")) or (_BASIC,),
    )


def _listed(names: object) -> tuple[str, ...]:
    return tuple(each for each in names if isinstance(each, str)) if isinstance(names, list) else ()


def _is_over_tls(address: object) -> bool:
    return isinstance(address, str) and urlsplit(address).scheme == "https"
