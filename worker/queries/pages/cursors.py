"""Where a list goes on: the sort key of its last row, as opaque text in the address (keyset paging, A-79)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from worker.errors import InvalidInput
from worker.payloads import clean_text

MAX_LENGTH = 512

Kind = Callable[[Any], Any]


def encode(*key: Any) -> str:
    """The cursor that goes on after the row with this sort key."""
    document = json.dumps([value if isinstance(value, int | str) else _text(value) for value in key])
    return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")


def decode(cursor: str, *kinds: Kind) -> tuple[Any, ...]:
    """The sort key in a cursor, each part read by its kind; InvalidInput when it is none of ours (A-80)."""
    try:
        if len(cursor) > MAX_LENGTH:
            raise ValueError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        key = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(key, list):
            raise TypeError
        return tuple(kind(value) for kind, value in zip(kinds, key, strict=True))
    except (ValueError, TypeError, RecursionError, OverflowError):
        raise InvalidInput("cursor", "is not an address that this list gave out") from None


def instant(value: Any) -> datetime:
    """A time with its zone."""
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError
    return at.astimezone(UTC)


def name(value: Any) -> str:
    """Text that the database can compare with."""
    if not isinstance(value, str) or clean_text(value, field="cursor", limit=MAX_LENGTH) != value:
        raise ValueError
    return value


def number(value: Any) -> int:
    """A whole number of a size that a row can have."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 2**62:
        raise ValueError
    return value


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
