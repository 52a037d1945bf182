"""A stretch of time as an address names it."""

from __future__ import annotations

from datetime import datetime

from worker.errors import InvalidInput
from worker.queries.pages import filters


def span(since: str, until: str | None, *, now: datetime) -> tuple[datetime, datetime]:
    """From when to when, the end in the past; InvalidInput where nothing lies between."""
    began = filters.instant(since, field="since", now=now)
    ended = min(filters.instant(until, field="until", now=now), now) if until else now
    if began >= ended:
        raise InvalidInput("since", "must be before the end, and in the past")
    return began, ended
