"""Secrets under keys of our own: Fernet, where the first key seals and all open."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from worker.errors import NotOpened

_LENGTH_BYTES = 4


class LocalEnvelope:
    """Fernet binds nothing to a text, so what a secret is for lies inside, before the secret."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = MultiFernet([Fernet(key) for key in keys])

    def prepare(self) -> None:
        """Nobody has to be asked."""

    def seal(self, plain: bytes, *, bound_to: str) -> str:
        """The secret under the first key."""
        purpose = bound_to.encode()
        return self._keys.encrypt(len(purpose).to_bytes(_LENGTH_BYTES) + purpose + plain).decode()

    def open(self, sealed: str, *, bound_to: str) -> bytes:
        """The secret; NotOpened when no key fits, a character was changed, or it is for something else."""
        try:
            content = self._keys.decrypt(sealed.encode())
        except (InvalidToken, ValueError):
            raise NotOpened("no key here fits, or the text was changed") from None
        start = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES])
        if not hmac.compare_digest(content[_LENGTH_BYTES:start], bound_to.encode()):
            raise NotOpened("this was sealed for something else")
        return content[start:]
