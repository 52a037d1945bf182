"""A key in AWS KMS. Loads the SDK: import it only where it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

from worker.aws_client import ERRORS, client_of
from worker.aws_problems import code_of, in_words
from worker.envelope.data_keys import DataKey
from worker.envelope.wrapped import WrappedEnvelope
from worker.errors import EnvelopeError, NotOpened
from worker.once import Once
from worker.secret_keys import AwsKey

CONTEXT = {"application": "watchfloor", "purpose": "secrets"}
"""What KMS writes into its own log, and wants to hear again: a data key made for another purpose opens nothing here."""

_OF_ANOTHER_KEY = frozenset({"AccessDeniedException", "IncorrectKeyException", "InvalidCiphertextException"})
_SAID_BY_CODE = {
    "DisabledException": "the key is disabled",
    "InvalidKeyUsageException": "the key is not one for encryption",
    "KMSInvalidStateException": "the key is disabled, or about to be deleted",
    "KeyUnavailableException": "the key is out of reach for now",
}


def envelope(key: AwsKey, *, deadline_seconds: float) -> WrappedEnvelope:
    """Secrets under data keys that this key wraps."""
    return WrappedEnvelope(Kms(key, deadline_seconds=deadline_seconds), deadline_seconds=deadline_seconds)


class Kms:
    """One client, made at the first call: to find credentials may need the network, so that counts for the deadline."""

    kind = ord("A")

    def __init__(self, key: AwsKey, *, deadline_seconds: float) -> None:
        self._key = key
        self._client = Once(
            client_of("kms", endpoint=key.endpoint, region=key.region, deadline_seconds=deadline_seconds)
        )

    def new_key(self) -> DataKey:
        """A data key from KMS."""
        made = self._ask(
            lambda kms: kms.generate_data_key(KeyId=self._key.name, KeySpec="AES_256", EncryptionContext=CONTEXT)
        )
        return DataKey(made["Plaintext"], made["CiphertextBlob"])

    def unwrap(self, wrapped: bytes) -> bytes:
        """The data key, if it is this key that wrapped it."""
        answer = self._ask(
            lambda kms: kms.decrypt(KeyId=self._key.name, CiphertextBlob=wrapped, EncryptionContext=CONTEXT),
            of_another_key=_OF_ANOTHER_KEY,
        )
        key = answer["Plaintext"]
        assert isinstance(key, bytes)
        return key

    def _ask(self, question: Callable[[Any], Any], *, of_another_key: frozenset[str] = frozenset()) -> Any:
        """The answer; of an SDK's exception, which may hold an address, the meaning is kept."""
        try:
            return question(self._client())
        except ERRORS as error:
            if isinstance(error, ClientError) and code_of(error) in of_another_key:
                problem = f"AWS KMS: sealed with another key than {self._key.name}, or the credentials may not use it"
                raise NotOpened(problem) from None
            raise EnvelopeError(f"AWS KMS: {self._meaning(error)}") from None

    def _meaning(self, error: Exception) -> str:
        if isinstance(error, ClientError) and code_of(error) == "NotFoundException":
            return f"there is no key {self._key.name}"
        return in_words(error, _SAID_BY_CODE)
