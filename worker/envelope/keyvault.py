"""A key in an Azure Key Vault. Loads the SDKs: import it only where it is used."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from azure.core.exceptions import AzureError, HttpResponseError
from azure.identity import DefaultAzureCredential
from azure.keyvault.keys import KeyClient, KeyVaultKeyIdentifier
from azure.keyvault.keys.crypto import CryptographyClient, KeyWrapAlgorithm

from worker.azure_problems import in_words
from worker.envelope.data_keys import DataKey
from worker.envelope.wrapped import WrappedEnvelope
from worker.errors import EnvelopeError, NotOpened
from worker.once import Once
from worker.secret_keys import VaultKey

Answer = TypeVar("Answer")

_TRIES_AGAIN = 1
_DATA_KEY_BYTES = 32
_VERSION = re.compile(rb"[A-Za-z0-9]{1,64}")
_OF_ANOTHER_KEY = frozenset({400, 404})


def envelope(key: VaultKey, *, deadline_seconds: float) -> WrappedEnvelope:
    """Secrets under data keys that this key wraps."""
    return WrappedEnvelope(KeyVault(key, deadline_seconds=deadline_seconds), deadline_seconds=deadline_seconds)


class KeyVault:
    """One client, made at the first call: to find credentials may need the network, so that counts for the deadline.

    A data key is wrapped by the latest version of the key, or by the one that is named, and says by which.
    """

    kind = ord("V")

    def __init__(self, key: VaultKey, *, deadline_seconds: float) -> None:
        self._key = key
        self._client = Once(lambda to_close: _client(key, deadline_seconds, to_close))

    def new_key(self) -> DataKey:
        """A data key of our own making, wrapped."""
        key = os.urandom(_DATA_KEY_BYTES)
        wrapped = self._ask(self._key.version, lambda keys: keys.wrap_key(KeyWrapAlgorithm.rsa_oaep_256, key))
        version = KeyVaultKeyIdentifier(wrapped.key_id or "").version
        if not version:
            problem = f"does not say which version of {self._key.name} wraps: let the key be read, or name a version"
            raise EnvelopeError(f"Azure Key Vault: {problem}")
        return DataKey(key, version.encode() + b"/" + wrapped.encrypted_key)

    def unwrap(self, wrapped: bytes) -> bytes:
        """The data key, if a version of this key wrapped it."""
        version, _, encrypted = wrapped.partition(b"/")
        if not _VERSION.fullmatch(version):
            raise NotOpened("Azure Key Vault: the text was changed")
        return self._ask(
            version.decode(),
            lambda keys: keys.unwrap_key(KeyWrapAlgorithm.rsa_oaep_256, encrypted).key,
            of_another_key=_OF_ANOTHER_KEY,
        )

    def _ask(
        self,
        version: str | None,
        question: Callable[[CryptographyClient], Answer],
        *,
        of_another_key: frozenset[int] = frozenset(),
    ) -> Answer:
        """The answer; of an SDK's exception, which may hold an address, the meaning is kept."""
        try:
            return question(self._client().get_cryptography_client(self._key.name, key_version=version))
        except ValueError:  # is the SDK's for a challenge by another domain, and for a key before or after its dates
            problem = "the key is past its time, or whoever answers is no vault"
            raise EnvelopeError(f"Azure Key Vault: {problem}") from None
        except AzureError as error:
            if isinstance(error, HttpResponseError) and error.status_code in of_another_key:
                problem = f"sealed with another key than {self._key.name}, or with a version that is gone"
                raise NotOpened(f"Azure Key Vault: {problem}") from None
            said = in_words(error, {404: f"there is no key {self._key.name}"})
            raise EnvelopeError(f"Azure Key Vault: {said}") from None


def _client(key: VaultKey, deadline_seconds: float, to_close: ExitStack) -> KeyClient:
    credential = to_close.enter_context(DefaultAzureCredential())
    client = KeyClient(
        f"https://{key.vault}",
        credential,
        connection_timeout=deadline_seconds / 4,
        read_timeout=deadline_seconds / 2,
        retry_total=_TRIES_AGAIN,
    )
    return to_close.enter_context(client)
