"""The text of a secret under a data key: which service wrapped the key, the wrapped key, a nonce, the secret."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from worker.errors import NotOpened

_VERSION = 1  # a Fernet token begins with 128
_LENGTH_BYTES = 2
NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class SealedText:
    """Its parts; the text of them is URL-safe base64."""

    kind: int
    wrapped: bytes
    nonce: bytes
    ciphertext: bytes

    def written(self) -> str:
        """The text."""
        content = head(self.kind, self.wrapped) + self.nonce + self.ciphertext
        return base64.urlsafe_b64encode(content).decode()


def head(kind: int, wrapped: bytes) -> bytes:
    """What the text begins with, which is authenticated together with what the secret is for."""
    return bytes([_VERSION, kind]) + len(wrapped).to_bytes(_LENGTH_BYTES) + wrapped


def read(text: str, *, kind: int) -> SealedText:
    """The parts of a text of that kind; NotOpened when it is none."""
    try:
        content = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise NotOpened("this is no sealed text") from None
    if content[:2] != bytes([_VERSION, kind]):
        raise NotOpened("this was sealed with another kind of key")
    wrapped_from = 2 + _LENGTH_BYTES
    wrapped_to = wrapped_from + int.from_bytes(content[2:wrapped_from])
    secret_from = wrapped_to + NONCE_BYTES
    if len(content) <= secret_from:
        raise NotOpened("the text was cut off")
    wrapped, nonce = content[wrapped_from:wrapped_to], content[wrapped_to:secret_from]
    return SealedText(kind, wrapped, nonce, content[secret_from:])
