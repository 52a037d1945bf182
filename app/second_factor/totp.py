"""Codes of the moment (TOTP, RFC 6238), as every authenticator makes them."""

from __future__ import annotations

import secrets
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor import InvalidToken
from cryptography.hazmat.primitives.twofactor.totp import TOTP

ISSUER = "Watchfloor"
STEP_SECONDS = 30
DIGITS = 6
SECRET_BYTES = 20
DRIFT = 1
"""So many steps may the clock of a phone be wrong, either way."""


def new_secret() -> bytes:
    """What the authenticator and we shall share."""
    return secrets.token_bytes(SECRET_BYTES)


def address(secret: bytes, name: str, environment: str) -> str:
    """The address that an authenticator scans; the environment tells one console from another."""
    return _totp(secret).get_provisioning_uri(name, f"{ISSUER} {environment}")


def is_code(text: str) -> bool:
    """Whether an authenticator could have shown it."""
    digits = _digits(text)
    return len(digits) == DIGITS and digits.isascii() and digits.isdigit()


def step_of(secret: bytes, code: str, now: datetime) -> int | None:
    """Of which half minute the code is, if of one close to now."""
    if not is_code(code):
        return None
    digits = _digits(code)
    step = int(now.timestamp()) // STEP_SECONDS
    return next((each for each in range(step - DRIFT, step + DRIFT + 1) if _is_of(secret, digits, each)), None)


def _digits(text: str) -> str:
    return "".join(text.split())


def _is_of(secret: bytes, digits: str, step: int) -> bool:
    try:
        _totp(secret).verify(digits.encode(), step * STEP_SECONDS)
    except InvalidToken:
        return False
    return True


def _totp(secret: bytes) -> TOTP:
    # Authenticators know no other hash; what breaks SHA-1 elsewhere, collisions, does not matter in an HMAC
    return TOTP(secret, DIGITS, SHA1(), STEP_SECONDS)  # noqa: S303 - as said
