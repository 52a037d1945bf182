"""Recovery codes: long enough for a plain hash, written in fours so that they can be read off paper."""

from __future__ import annotations

import hashlib
import secrets
from uuid import UUID

COUNT = 10
LENGTH = 16
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without what looks alike


def new_codes() -> list[str]:
    """A set to keep, each in groups of four."""
    return [_grouped("".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))) for _ in range(COUNT)]


def digest(operator_id: UUID, code: str) -> str:
    """What is stored of a code, however it was typed."""
    plain = "".join(character for character in code.lower() if character.isalnum())
    return hashlib.sha256(f"{operator_id} {plain}".encode()).hexdigest()


def _grouped(code: str) -> str:
    return "-".join(code[start : start + 4] for start in range(0, LENGTH, 4))
