"""Secrets as text that only this deployment's keys open, and only for what they were sealed for.

Which keys is a setting: local ones, or one in AWS KMS or an Azure Key Vault that never leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from worker.envelope.fernet import LocalEnvelope
from worker.envelope.rotation import RotatingEnvelope
from worker.errors import ConfigurationError, EnvelopeError
from worker.secret_keys import AwsKey, LocalKey, SecretKey, VaultKey, keys_of
from worker.settings import WorkerSettings

__all__ = ["Envelope", "open_envelope", "secret_encryption_readiness", "secret_encryption_trial"]

_SDKS: tuple[tuple[type[SecretKey], str, str, str], ...] = (
    (AwsKey, "kms://", "boto3", "aws"),
    (VaultKey, "keyvault://", "azure.keyvault.keys", "azure"),
)


class Envelope(Protocol):
    """Each call is done within a deadline; EnvelopeError says why it failed, and nothing of the secret or the key."""

    def prepare(self) -> None:
        """Have what the next secret is sealed with at hand, so that sealing asks nobody."""

    def seal(self, plain: bytes, *, bound_to: str) -> str:
        """The secret as URL-safe base64, of no use to whoever has not the key or presents it for something else."""

    def open(self, sealed: str, *, bound_to: str) -> bytes:
        """The secret again; `bound_to` is what it was sealed with."""


def secret_encryption_readiness(settings: WorkerSettings) -> str | None:
    """Why secrets cannot be sealed and opened here, as far as it shows without asking anybody; None when they can."""
    if settings.secret_keys is None:
        return "WATCHFLOOR_SECRET_KEYS is not set: without it nothing can be sealed, nor opened"
    keys = keys_of(settings.secret_keys.get_secret_value())
    for kind, scheme, package, extra in _SDKS:
        if any(isinstance(key, kind) for key in keys) and not _is_there(package):
            return f"WATCHFLOOR_SECRET_KEYS: {scheme} needs the extra: pip install 'watchfloor[{extra}]'"
    return None


def secret_encryption_trial(settings: WorkerSettings) -> str | None:
    """The same after a secret was sealed and opened, for which a key service is asked."""
    if problem := secret_encryption_readiness(settings):
        return problem
    envelope = open_envelope(settings)
    try:
        envelope.open(envelope.seal(b"trial", bound_to="a trial"), bound_to="a trial")
    except EnvelopeError as error:
        return f"WATCHFLOOR_SECRET_KEYS: {error}"
    return None


def open_envelope(settings: WorkerSettings) -> Envelope:
    """The envelope that the settings name, nobody asked as yet; ConfigurationError when there can be none.

    It keeps data keys for minutes, so it is to be kept, too.
    """
    if problem := secret_encryption_readiness(settings):
        raise ConfigurationError(problem)
    assert settings.secret_keys is not None
    keys = keys_of(settings.secret_keys.get_secret_value())
    local = [key for key in keys if isinstance(key, LocalKey)]
    if len(local) == len(keys):
        return LocalEnvelope([key.key for key in local])
    return RotatingEnvelope([_of(key, settings.secret_deadline_seconds) for key in keys])


def _of(key: SecretKey, deadline_seconds: float) -> Envelope:
    if isinstance(key, LocalKey):
        return LocalEnvelope([key.key])
    # Loaded only where it is used: the SDKs take a second
    module = "worker.envelope.kms" if isinstance(key, AwsKey) else "worker.envelope.keyvault"
    opened: Callable[..., Envelope] = import_module(module).envelope
    return opened(key, deadline_seconds=deadline_seconds)


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
