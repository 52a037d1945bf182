"""Who somebody is to us, by the provider's claims: the name to go by, the role, and whether they may come at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.accounts.names import is_reserved
from app.oidc.problems import NotAdmitted
from app.oidc.settings import OidcSettings
from worker.failures import safe_text
from worker.mail_places import is_address
from worker.queries.operators import ROLES, Role

MAX_NAME = 80
STRANGER = "Your account at the provider has no role here. Whoever runs this console can give its group one."
ELSEWHERE = "Only addresses of this organisation come in, and the provider does not say that you have one."


@dataclass(frozen=True, slots=True)
class Person:
    """Who the provider vouches for; the address is None unless the provider has checked it."""

    issuer: str
    subject: str
    name: str
    role: Role
    email: str | None


def person(claims: Mapping[str, Any], settings: OidcSettings) -> Person:
    """Whom the claims are about; NotAdmitted when that is nobody who may come in."""
    email = _email(claims)
    domains = settings.oidc_domains
    if domains and (email is None or email.rpartition("@")[2].lower() not in domains):
        raise NotAdmitted(ELSEWHERE, reason="not an address of WATCHFLOOR_OIDC_DOMAINS")
    role = _role(claims, settings)
    if role is None:
        raise NotAdmitted(STRANGER, reason="no group of WATCHFLOOR_OIDC_ROLES")
    return Person(str(claims["iss"]), str(claims["sub"]), _name(claims, email), role, email)


def _role(claims: Mapping[str, Any], settings: OidcSettings) -> Role | None:
    """The most that any of the groups gives."""
    by_group = settings.oidc_roles or {}
    given = [by_group[group] for group in _groups(claims, settings.oidc_role_claim) if group in by_group]
    return max(given, key=ROLES.index, default=settings.oidc_default_role)


def _groups(claims: Mapping[str, Any], named: str) -> list[str]:
    """The texts under that claim, which may lie within others: `realm_access.roles`."""
    found: Any = claims.get(named)
    if found is None:
        found = claims
        for part in named.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    listed = found if isinstance(found, list) else [found]
    return [each for each in listed if isinstance(each, str)]


def _email(claims: Mapping[str, Any]) -> str | None:
    email = claims.get("email")
    return email if isinstance(email, str) and is_address(email) and claims.get("email_verified") is True else None


def _name(claims: Mapping[str, Any], email: str | None) -> str:
    """What colleagues call them, never a whole address; a colon is for the actors that are not people."""
    for given in (claims.get("preferred_username"), claims.get("name"), email):
        if isinstance(given, str) and (kept := _plain(given)) and not is_reserved(kept):
            return kept
    return f"operator {_plain(str(claims['sub']))[:8]}".strip()


def _plain(text: str) -> str:
    kept = safe_text(text.partition("@")[0], MAX_NAME).replace(":", " ")
    return "".join(character for character in kept if character.isprintable()).strip()
