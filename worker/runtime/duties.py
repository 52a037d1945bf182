"""What any number of processes do for the queue beside its workers, each pass safe to repeat (S2-100, S2-101)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.handlers import Registry
from worker.queries.subscriptions import SAID_AGAIN_SECONDS
from worker.runtime.acts import Acts
from worker.runtime.backfills import Backfills
from worker.runtime.grouper import EVERY_SECONDS as LOOK_AT_GROUPS_SECONDS
from worker.runtime.grouper import Grouper
from worker.runtime.observer import LOOK_SECONDS, Look, Observer
from worker.runtime.pruner import Pruner
from worker.runtime.reaper import Reaper
from worker.runtime.relay import Relay
from worker.runtime.roll_call import RollCall
from worker.runtime.stamped import Stamped
from worker.settings import WorkerSettings

_LOOK_FOR_ACTS_SECONDS = 1
"""What somebody watches: a rate is kept, and a trial answered, to the second."""
_LOOK_FOR_BACKFILLS_SECONDS = 60
"""More often than they run, for whoever looks first after the interval runs them for all."""


@dataclass(frozen=True, slots=True)
class Duty:
    """One duty: a batch of it, which says whether there may be more, and how often to look."""

    name: str
    tick: Callable[[], bool]
    interval_seconds: float


def duties(
    engine: Engine,
    settings: WorkerSettings,
    registry: Registry,
    log: FilteringBoundLogger,
    *,
    look: Look | None = None,
) -> tuple[Duty, ...]:
    """The relay first, then the others; the backfills where a net has one, the looks where somebody knows how."""
    backfills = Backfills(
        engine,
        tuple(net for net in registry.nets if net.backfill),
        every_seconds=settings.backfill_interval_seconds,
        lease_seconds=settings.max_runtime_seconds,
        log=log,
    )
    look_seconds = min(settings.backfill_interval_seconds, _LOOK_FOR_BACKFILLS_SECONDS)
    relay = Stamped(engine, "relay", Relay(engine, registry.subscribers, log).tick)
    reaper = Stamped(engine, "reaper", Reaper(engine, settings.job_stale_after_seconds, log).tick)
    return (
        Duty("relay", relay.tick, settings.relay_interval_seconds),
        Duty("roll call", RollCall(engine, registry.subscribers, log).tick, SAID_AGAIN_SECONDS),
        Duty("reaper", reaper.tick, settings.reaper_interval_seconds),
        Duty("grouper", Grouper(engine, log).tick, LOOK_AT_GROUPS_SECONDS),
        Duty("acts", Acts(engine).tick, _LOOK_FOR_ACTS_SECONDS),
        Duty("pruner", Pruner(engine, settings.retention_days, log).tick, settings.pruner_interval_seconds),
        *([Duty("observer", Observer(engine, look).tick, LOOK_SECONDS)] if look else []),
        *([Duty("backfills", backfills.tick, look_seconds)] if backfills.nets else []),
    )
