"""Values as one line of plain text, which no control character can bend or break (A-65)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# Control characters and lone surrogates, which drive terminals or break them, and what turns the direction of text
_HARMFUL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNITS = (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1))


def escaped(text: str) -> str:
    """The text on one line, every harmful character spelt out."""
    return _HARMFUL.sub(lambda found: _SHORT.get(found[0]) or _spelt(ord(found[0])), text)


def cell(value: object) -> str:
    """Any value as a table shows it: a dash for nothing, times in UTC to the second."""
    if value is None or value == "":
        return "-"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    if isinstance(value, list | tuple | set | frozenset):
        names = sorted(map(str, value)) if isinstance(value, set | frozenset) else map(str, value)
        return escaped(", ".join(names))
    return escaped(str(value))


def age(then: datetime | None, now: datetime) -> str | None:
    """How long ago it was; None when it never was."""
    return None if then is None else duration((now - then).total_seconds())


def duration(seconds: float) -> str:
    """A span in its two largest units, down to whole seconds: `6m 12s`."""
    left, parts = round(abs(seconds)), []
    for unit, size in _UNITS:
        amount, left = divmod(left, size)
        if amount:
            parts.append(f"{amount}{unit}")
    return " ".join(parts[:2]) or "0s"


def _spelt(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
