"""When something that is to end by itself does: to come, and within what people plan for."""

from __future__ import annotations

from datetime import datetime, timedelta

from worker.errors import InvalidInput

FURTHEST = timedelta(days=3660)


def ahead(until: datetime | None, *, now: datetime) -> datetime | None:
    """The end that was asked for, if any; InvalidInput where it is over, or ten years away."""
    if until is not None and not now < until <= now + FURTHEST:
        raise InvalidInput("until", "must be a time to come, within ten years")
    return until
