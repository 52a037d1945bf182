"""Pass the database's hints on to the loops that wait for them; polling stays the guarantee (A-17)."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Listener
from worker.runtime.loop import Loop

_QUIET_SECONDS = 5
_PATIENCE_SECONDS = 10
_STOPS_WITHIN_SECONDS = 2


class Notifier:
    """One listening connection for the bells of this process, by channel."""

    def __init__(self, url: str, bells: Mapping[str, Event], *, log: FilteringBoundLogger) -> None:
        self._bells = bells
        self._listener = Listener(url, tuple(bells))
        self._waiting_since = monotonic()
        self._listening = Loop("notifier", self.tick, log=log, interval_seconds=0)
        self._watching = Loop("notifier watch", self.check, log=log, interval_seconds=_QUIET_SECONDS)

    def start(self) -> None:
        """Begin to listen."""
        self._listening.start()
        self._watching.start()

    def tick(self) -> bool:
        """Wait for a hint and ring; a connection that fails is opened anew by the next tick."""
        self._waiting_since = monotonic()
        try:
            heard = self._listener.wait(_QUIET_SECONDS)
        except Exception:
            self._listener.close()
            raise
        for channel in heard:
            self._bells[channel].set()
        return True

    def check(self) -> bool:
        """Break off a wait on a connection too dead to say that it is quiet."""
        if monotonic() - self._waiting_since > _QUIET_SECONDS + _PATIENCE_SECONDS:
            self._listener.interrupt()
        return False

    def stop(self) -> None:
        """Break off the wait in hand and give the connection back."""
        self._watching.stop()
        self._listening.stop()
        deadline = monotonic() + _STOPS_WITHIN_SECONDS
        while not self._listening.join(0.02) and monotonic() < deadline:
            self._listener.interrupt()
        self._watching.join(0.1)
        self._listener.close()
