"""Doing something again and again until told to stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import structlog

from worker.database import is_outage

log = structlog.get_logger()


def keep_ticking(tick: Callable[[], None], *, every_seconds: float, stop: Event) -> None:
    """Call it until told to stop; an outage of the database is waited out."""
    while not stop.wait(every_seconds):
        try:
            tick()
        except Exception as error:
            if not is_outage(error):
                raise
            log.warning("demo.waiting", error=type(error).__name__)
