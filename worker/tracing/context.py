"""The W3C trace context as it is stored: one line of text, or nothing."""

from __future__ import annotations

import re

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})")


def valid(traceparent: object) -> str | None:
    """The same if it is one; work is never refused because of a trace, so anything else counts as none."""
    return traceparent if isinstance(traceparent, str) and parts(traceparent) else None


def parts(traceparent: str | None) -> tuple[str, str, str] | None:
    """The trace, the span and the flags that it names; None where it names none."""
    found = _TRACEPARENT.fullmatch(traceparent or "")
    return (found[1], found[2], found[3]) if found else None


def trace_id(traceparent: str | None) -> str | None:
    """The trace that it is of, as tracing systems show it."""
    found = parts(traceparent)
    return found and found[0]
