"""What an operator may be called, and where they take mail."""

from __future__ import annotations

import re

from app.sessions import NOBODY
from worker.errors import InvalidInput
from worker.mail_places import is_address
from worker.payloads import clean_text
from worker.queries.audit import SYSTEM

MOST_NAME, MOST_EMAIL = 100, 254
RESERVED = frozenset({NOBODY, SYSTEM.name})
"""Whom the trail names where it was no operator."""
# Printable to Unicode, and yet nothing to see: fillers for letters, a blank pattern, and marks that only choose a shape
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)


def operator_name(text: str) -> str:
    """The name as it is kept: a colon is for actors that are no people, as `cli:root`, an @ for addresses.

    Names are in the trail, where no address shall be, and nobody who passes for nobody.
    """
    kept = clean_text(text, field="name", limit=MOST_NAME)
    if not kept or ":" in kept or "@" in kept or not kept.isprintable() or _UNSEEN.search(kept):
        raise InvalidInput("name", f"must be 1 to {MOST_NAME} printable characters without a colon or an @")
    if is_reserved(kept):
        raise InvalidInput("name", "is what the audit trail calls those who are no operators")
    return kept


def is_reserved(name: str) -> bool:
    """Whether somebody of that name could be taken for no operator at all."""
    return name.casefold() in RESERVED


def email_address(text: str) -> str:
    """The address as it is kept; what is said against it does not repeat it."""
    kept = clean_text(text, field="email", limit=MOST_EMAIL)
    if not is_address(kept):
        raise InvalidInput("email", "must be one address, as in name@example.org")
    return kept
