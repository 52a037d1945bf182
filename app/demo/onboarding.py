"""The shop's tenants as they come: provisioned for real, some while their storage is out of order, then put to work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from uuid import UUID

from app.demo import tenants
from app.demo.obstacles import Obstacles
from app.demo.product import put_to_work
from app.demo.ticks import keep_ticking
from worker.database import Engine
from worker.job_types import JobTypes
from worker.queries import provisioning
from worker.queries import tenants as stored

TICK_SECONDS = 1.0
AT_ONCE = 5
ONE_MORE_EVERY_SECONDS = 20.0
TROUBLE_BEGINS_SECONDS, TROUBLE_ENDS_SECONDS = 50.0, 125.0
"""Who comes meanwhile fails at the storage: the first for good, the others until a later try."""
UNTRAINED = 7
"""Tenants whose model nobody here can train."""


@dataclass
class Onboarding:
    """Who was asked for and who has data so far; `tick` is a second of it."""

    engine: Engine
    job_types: JobTypes
    obstacles: Obstacles
    clock: Callable[[], float] = time.monotonic
    _began_at: float | None = None
    _slugs: dict[UUID, str] = field(default_factory=dict)
    _asked: list[UUID] = field(default_factory=list)
    _without_data: list[UUID] = field(default_factory=list)

    def run(self, stop: Event) -> None:
        """Tick until told to stop."""
        keep_ticking(self.tick, every_seconds=TICK_SECONDS, stop=stop)

    def tick(self) -> None:
        """Have those provisioned whose time has come, and put one to work that has become active."""
        if self._began_at is None:
            self._begin()
        since = self.clock() - (self._began_at or 0)
        is_troubled = TROUBLE_BEGINS_SECONDS <= since < TROUBLE_ENDS_SECONDS
        if not is_troubled:
            self._clear()
        due = list(self._slugs)[len(self._asked) : AT_ONCE + int(since / ONE_MORE_EVERY_SECONDS)]
        for tenant_id in due:
            self._ask(tenant_id, in_trouble=is_troubled)
        self._put_one_to_work()

    def _begin(self) -> None:
        with self.engine.begin() as conn:
            self._slugs = {tenant_id: slug for slug, tenant_id in tenants.settle(conn).items()}
        self._began_at = self.clock()

    def _clear(self) -> None:
        """Those that an earlier start left behind go, too."""
        for tenant_id in self._slugs:
            self.obstacles.clear(tenant_id)

    def _ask(self, tenant_id: UUID, *, in_trouble: bool) -> None:
        """Have it provisioned; who is so already stays as it is, and no obstacle is in the way of what lies there."""
        if in_trouble:
            self.obstacles.put(tenant_id)
        with self.engine.begin() as conn:
            provisioning.ensure_provision_job(conn, self.job_types, tenant_id=tenant_id)
        self._asked.append(tenant_id)
        self._without_data.append(tenant_id)

    def _put_one_to_work(self) -> None:
        ready = next((each for each in self._without_data if self._is_active(each)), None)
        if ready is None:
            return
        served = list(self._slugs).index(ready) >= UNTRAINED
        put_to_work(self.engine, self.job_types, slug=self._slugs[ready], tenant_id=ready, served=served)
        self._without_data.remove(ready)

    def _is_active(self, tenant_id: UUID) -> bool:
        with self.engine.connect() as conn:
            row = stored.by_id(conn, tenant_id=tenant_id)
        return row is not None and row.onboarding_status == "active"
