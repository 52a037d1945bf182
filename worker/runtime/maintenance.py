"""Relay, reaper and pruner without a consumer: what a console process does for the queue (S2-72, S2-80)."""

from __future__ import annotations

from threading import Event

import structlog

from worker.database import connect
from worker.handlers import Registry
from worker.model import new_id
from worker.queries import wakeups
from worker.runtime.loop import Loop, stop_all
from worker.runtime.notifier import Notifier
from worker.runtime.pruner import Pruner
from worker.runtime.reaper import Reaper
from worker.runtime.relay import Relay
from worker.runtime.sleeper import Sleeper
from worker.settings import WorkerSettings

_STOPS_WITHIN_SECONDS = 5


class Maintenance:
    """Any number of processes may run it: locked rows are passed over, every duty is safe to repeat (S2-101)."""

    def __init__(self, settings: WorkerSettings, registry: Registry, *, url: str) -> None:
        self._log = structlog.get_logger().bind(duty="maintenance")
        self._engine = connect(url, application_name="watchfloor maintenance", pool_size=4)
        self._published = Event()
        self._sleeper = Sleeper(self._engine, channel=wakeups.OUTBOX, name=str(new_id()))
        self._notifier = Notifier(url, {wakeups.OUTBOX: self._published}, log=self._log)
        self._loops = self._new_loops(settings, registry)

    def start(self) -> None:
        """Begin; each duty has its first turn at once."""
        self._notifier.start()
        for loop in self._loops:
            loop.start()

    def stop(self) -> None:
        """Let the turns in hand be the last."""
        stop_all(self._loops, _STOPS_WITHIN_SECONDS)
        self._notifier.stop()
        self._engine.dispose()

    def _new_loops(self, settings: WorkerSettings, registry: Registry) -> tuple[Loop, ...]:
        engine, log = self._engine, self._log
        relay = Relay(engine, registry.subscribers, self._sleeper, log)
        reaper = Reaper(engine, settings.job_stale_after_seconds, log)
        pruner = Pruner(engine, settings.retention_days, log)
        relay_seconds, reaper_seconds = settings.relay_interval_seconds, settings.reaper_interval_seconds
        return (
            Loop("relay", relay.tick, log=log, interval_seconds=relay_seconds, bell=self._published),
            Loop("reaper", reaper.tick, log=log, interval_seconds=reaper_seconds),
            Loop("pruner", pruner.tick, log=log, interval_seconds=settings.pruner_interval_seconds),
        )
