"""The best-effort bus beside the outbox: told at once, in this process, and gone when a subscriber fails (S2-01)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import structlog

from worker.errors import ConfigurationError
from worker.failures import describe
from worker.model import Event

Listener = Callable[[Event], Any]


class Bus:
    """For what may be missed: a cache to refresh, a page to nudge. What must happen is published with a connection.

    `worker.publish(conn, event)` always writes the event down, also where nobody has subscribed yet, and never tells
    the bus: its transaction may still be rolled back. `Bus.publish(event)` stores nothing, whoever has subscribed
    durably (S2-04, S2-10).
    """

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self._log = structlog.get_logger()

    def subscribe(self, event_type: str, listener: Listener) -> None:
        """Have `listener` called for every event of that type that this process publishes without a connection."""
        if inspect.iscoroutinefunction(listener) or not callable(listener):
            raise ConfigurationError(f"bus subscriber of {event_type!r}: must be a plain function")
        self._listeners.setdefault(event_type, []).append(listener)

    def publish(self, event: Event) -> None:
        """Tell the subscribers of this process, one after the other; one that fails is logged and not asked again."""
        for listener in tuple(self._listeners.get(event.event_type, ())):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - publishing never fails because of a subscriber
                key = getattr(listener, "__qualname__", type(listener).__name__)
                failure = describe(error, handler_key=key)
                self._log.error(
                    "event.lost",
                    event_type=event.event_type,
                    event_id=event.event_id,
                    subscriber=key,
                    error=failure.detail,
                )
