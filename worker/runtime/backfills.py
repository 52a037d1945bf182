"""Run the backfills of the reconciliation nets, one runner at a time among all processes (S2-63)."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.failures import MAX_DETAIL, describe
from worker.model import new_id
from worker.nets import Backfill, DurableSubscriberNet
from worker.queries import nets


@dataclass(frozen=True, slots=True)
class Backfills:
    """A runner holds a net for `lease_seconds` at most; one that died is followed by another after that."""

    engine: Engine
    nets: Iterable[DurableSubscriberNet]
    every_seconds: float
    lease_seconds: float
    log: FilteringBoundLogger
    runner: str = field(default_factory=lambda: str(new_id()))

    def tick(self) -> bool:
        """Run what is due; one that fails is logged, and the others run all the same."""
        for net in self.nets:
            if net.backfill and self._take(net):
                error = self._run(net.subscriber_id, net.backfill)
                with self.engine.begin() as conn:
                    nets.finish(conn, subscriber_id=net.subscriber_id, runner=self.runner, error=error)
        return False

    def _take(self, net: DurableSubscriberNet) -> bool:
        with self.engine.begin() as conn:
            return nets.take(
                conn,
                subscriber_id=net.subscriber_id,
                runner=self.runner,
                every_seconds=self.every_seconds,
                lease_seconds=self.lease_seconds,
            )

    def _run(self, subscriber_id: str, backfill: Backfill) -> str | None:
        """What it failed with, if it did; no transaction of ours is open meanwhile."""
        started_at = monotonic()
        try:
            answer = backfill()
            if inspect.iscoroutine(answer):
                asyncio.run(answer)
        except BaseException as error:  # noqa: BLE001 - not even SystemExit may end what the other nets rely on
            failure = describe(error, handler_key=subscriber_id)
            self.log.error("net.failed", subscriber=subscriber_id, error=failure.detail)
            return failure.detail[:MAX_DETAIL]
        self.log.info("net.backfilled", subscriber=subscriber_id, seconds=round(monotonic() - started_at, 3))
        return None
