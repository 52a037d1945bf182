"""Which provider there is: the one that the settings name, if the extra for it is there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from app.oidc.attempt import begun
from app.oidc.problems import OidcProblem
from app.settings import ConsoleSettings
from worker.errors import ConfigurationError

if TYPE_CHECKING:
    from app.oidc.provider import Provider

CALLBACK = "/sign-in/oidc/callback"

_PACKAGES = ("authlib", "httpx2", "joserfc")


def readiness(settings: ConsoleSettings) -> str | None:
    """Why nobody could sign in at the provider that the settings name, in a sentence; None when nothing is missing."""
    if settings.oidc_issuer is None:
        return None
    if settings.url is None:
        return "WATCHFLOOR_OIDC_ISSUER is set, but WATCHFLOOR_URL is not: the provider sends browsers back there"
    if any(find_spec(package) is None for package in _PACKAGES):
        return "WATCHFLOOR_OIDC_ISSUER needs the extra: pip install 'watchfloor[oidc]'"
    return None


def trial(settings: ConsoleSettings) -> str | None:
    """The same once the provider was asked for what it says of itself."""
    if problem := readiness(settings):
        return problem
    try:
        if provider := open_provider(settings):
            provider.address(begun("/"))
    except OidcProblem as error:
        return f"WATCHFLOOR_OIDC_ISSUER: {error.reason}"
    return None


def open_provider(settings: ConsoleSettings) -> Provider | None:
    """The provider that the settings name, not asked as yet; ConfigurationError when nobody could sign in there."""
    if problem := readiness(settings):
        raise ConfigurationError(problem)
    if settings.oidc_issuer is None:
        return None
    # Loaded only where it is used: it is an extra
    opened: Callable[[ConsoleSettings], Provider] = import_module("app.oidc.provider").Provider
    return opened(settings)
