"""Passwords: hashed with Argon2id, compared in the same time whoever is asked for (A-74)."""

from __future__ import annotations

import secrets
from functools import cached_property

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

MIN_CHARACTERS = 12
MAX_BYTES = 200
TOGETHER = 2
"""So many are hashed at once: each takes 64 MiB and a seventh of a second."""

COMMON = ("password", "watchfloor", "qwerty", "letmein", "welcome", "admin", "123456", "abcdef")


class Passwords:
    """Hashes and compares; the costs are smaller only in tests."""

    def __init__(self, *, memory_kib: int = 64 * 1024, iterations: int = 3, lanes: int = 4) -> None:
        self._memory_kib = memory_kib
        self._iterations = iterations
        self._lanes = lanes

    def hash(self, password: str) -> str:
        """The text to store, which carries its own salt and costs."""
        kdf = Argon2id(
            salt=secrets.token_bytes(16),
            length=32,
            iterations=self._iterations,
            lanes=self._lanes,
            memory_cost=self._memory_kib,
        )
        return kdf.derive_phc_encoded(password.encode())

    def matches(self, password: str, stored: str | None) -> bool:
        """Whether it is the password; where there is none to compare with, the work is done all the same."""
        given = password.encode()
        try:
            Argon2id.verify_phc_encoded(given[:MAX_BYTES], stored or self._decoy)
        except InvalidKey:
            return False
        return stored is not None and len(given) <= MAX_BYTES

    @cached_property
    def _decoy(self) -> str:
        return self.hash(secrets.token_urlsafe(16))


def weakness(password: str, name: str) -> str | None:
    """Why this password should not be taken, in a sentence; None when nothing speaks against it."""
    plain = password.lower()
    if len(password) < MIN_CHARACTERS:
        return f"Use at least {MIN_CHARACTERS} characters."
    if len(password.encode()) > MAX_BYTES:
        return f"Use at most {MAX_BYTES} characters."
    if len(set(plain)) < 5:
        return "Use more than a few different characters."
    rest = plain.replace(name.lower(), "")
    for word in COMMON:
        rest = rest.replace(word, "")
    if len(rest) < MIN_CHARACTERS // 2:
        return "That is among the first that anyone would try."
    return None
