"""The duties without a consumer: what a console process does for the queue (S2-80)."""

from __future__ import annotations

from threading import Event

import structlog

from worker.database import connect, retire
from worker.handlers import Registry
from worker.model import new_id
from worker.queries import wakeups
from worker.runtime.duties import duties
from worker.runtime.loop import Loop, stop_all
from worker.runtime.notifier import Notifier
from worker.runtime.observer import Look
from worker.runtime.sleeper import Sleeper
from worker.settings import WorkerSettings

_STOPS_WITHIN_SECONDS = 5


class Maintenance:
    """A thread for each duty; the relay is told of events as they are published, and asks for it while it is idle."""

    def __init__(self, settings: WorkerSettings, registry: Registry, *, url: str, look: Look | None = None) -> None:
        self._log = structlog.get_logger().bind(duty="maintenance")
        self._engine = connect(url, application_name="watchfloor maintenance", pool_size=4)
        self._published = Event()
        self._sleeper = Sleeper(self._engine, channel=wakeups.OUTBOX, name=str(new_id()))
        self._notifier = Notifier(url, {wakeups.OUTBOX: self._published}, log=self._log)
        self._loops = self._new_loops(settings, registry, look)

    def start(self) -> None:
        """Begin; each duty has its first turn at once."""
        self._notifier.start()
        for loop in self._loops:
            loop.start()

    def stop(self) -> None:
        """Let the turns in hand be the last."""
        stop_all(self._loops, _STOPS_WITHIN_SECONDS)
        self._notifier.stop()
        retire(self._engine)

    def _new_loops(self, settings: WorkerSettings, registry: Registry, look: Look | None) -> tuple[Loop, ...]:
        log = self._log
        relay, *others = duties(self._engine, settings, registry, log, look=look)

        def relay_and_look() -> bool:
            return self._sleeper.look_again(busy=relay.tick())

        return (
            Loop(relay.name, relay_and_look, log=log, interval_seconds=relay.interval_seconds, bell=self._published),
            *(Loop(each.name, each.tick, log=log, interval_seconds=each.interval_seconds) for each in others),
        )
