"""Say when a duty was done, so that one which nobody does any more is missed."""

from __future__ import annotations

import socket
from collections.abc import Callable
from time import monotonic

from worker.database import Engine, autocommit
from worker.queries.duty_runs import ran

_EVERY_SECONDS = 30


class Stamped:
    """The same duty, which says that it was done after a pass that met no error; twice a minute will do."""

    def __init__(self, engine: Engine, duty: str, tick: Callable[[], bool]) -> None:
        self._engine = engine
        self._duty = duty
        self._tick = tick
        self._due_at = monotonic()

    def tick(self) -> bool:
        """One pass; whether there may be more."""
        again = self._tick()
        if monotonic() >= self._due_at:
            with autocommit(self._engine).connect() as conn:
                ran(conn, duty=self._duty, by=socket.gethostname() or "nameless")
            self._due_at = monotonic() + _EVERY_SECONDS
        return again
