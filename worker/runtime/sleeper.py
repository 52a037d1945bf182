"""Ask for hints while there is nothing to do, and for none while there is (see `worker.queries.wakeups`)."""

from __future__ import annotations

from time import monotonic

from worker.database import Engine, autocommit, is_lent
from worker.queries import wakeups

_SAY_AGAIN_SECONDS = 3600
"""Rows of sleepers that fell silent are pruned after a day, so a long sleeper repeats itself."""


class Sleeper:
    """One loop's place among those that a producer notifies."""

    def __init__(self, engine: Engine, *, channel: str, name: str) -> None:
        self._engine = autocommit(engine)
        self._channel = channel
        self._name = name
        self._is_lent = is_lent(engine)
        self._asleep_since: float | None = None

    def look_again(self, *, busy: bool) -> bool:
        """Whether to look for work once more before waiting: after a full batch, and after asking for hints."""
        if busy:
            self.awake()
            return True
        if self._is_lent:
            return False
        if self._asleep_since is not None and monotonic() - self._asleep_since < _SAY_AGAIN_SECONDS:
            return False
        with self._engine.connect() as conn:
            wakeups.sleep(conn, channel=self._channel, sleeper=self._name)
        self._asleep_since = monotonic()
        return True

    def awake(self) -> None:
        """Ask for no more hints."""
        if self._asleep_since is None:
            return
        with self._engine.connect() as conn:
            wakeups.awake(conn, channel=self._channel, sleeper=self._name)
        self._asleep_since = None
