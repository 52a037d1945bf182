"""The shop's day: a steady, bounded stream of jobs and events, and a backlog that was there before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event as Flag
from uuid import UUID

from app.demo import tenants
from app.demo.streams import STREAMS, Day, Stream
from app.demo.ticks import keep_ticking
from worker.database import Connection, Engine
from worker.job_types import JobTypes
from worker.model import Event
from worker.queries import jobs, outbox
from worker.queries.jobs import NewJob
from worker.queries.pages import backlog, readiness

TICK_SECONDS = 0.5
LOOK_EVERY_TICKS = 10
MOST_READY = 60
"""Per queue: what is full gets nothing more until it has drained."""
MOST_DEAD = 300
"""From here on the shop has only good days."""
WAVE_SECONDS = 480
DIGEST_SLOTS = 4


@dataclass
class Traffic:
    """What has come in so far, and what may come next; `tick` is half a second of it."""

    engine: Engine
    job_types: JobTypes
    day: Day = field(default_factory=Day)
    _ticks: int = 0
    _owed: dict[str, float] = field(default_factory=dict)
    _full: frozenset[str] = frozenset()
    _tenants: Sequence[UUID] = ()

    def run(self, stop: Flag) -> None:
        """Tick until told to stop; an outage of the database is waited out."""
        keep_ticking(self.tick, every_seconds=TICK_SECONDS, stop=stop)

    def tick(self) -> None:
        """Look around now and then, and let in what has come due since the last tick, in one transaction."""
        with self.engine.begin() as conn:
            if self._ticks % LOOK_EVERY_TICKS == 0:
                self._look(conn)
            due = [stream for stream in STREAMS for _ in range(self._due(stream)) if stream.queue not in self._full]
            jobs.enqueue_many(conn, self.job_types, [self._job(stream) for stream in due if not stream.is_event])
            for stream in due:
                if stream.is_event:
                    outbox.publish(conn, self._event(stream))
        self._ticks += 1

    def _look(self, conn: Connection) -> None:
        """See which queues are full and whether enough has died; put the standing backlog in, once."""
        now = readiness.clock(conn)
        by_slug = tenants.settle(conn)
        self._tenants = list(by_slug.values())
        open_work = backlog.read(conn, held=(), now=now)
        self._full = frozenset(each.queue for each in open_work if each.ready >= MOST_READY)
        self.day.troubled = sum(each.dead for each in open_work) < MOST_DEAD
        jobs.enqueue_many(conn, self.job_types, _digests(by_slug, now))
        outbox.publish(conn, Event("shipment.lost", {"shipment_id": 7731}, "shop", "demo-shipment-7731"))

    def _due(self, stream: Stream) -> int:
        """How many of these come now: a swell of some minutes, so that what just keeps up falls behind at times."""
        swell = 1 + 0.3 * math.sin(2 * math.pi * self._ticks * TICK_SECONDS / WAVE_SECONDS)
        expected = stream.per_minute / 60 * TICK_SECONDS * swell
        owed = self._owed.get(stream.name, 0.0) + expected * self.day.random.uniform(0.4, 1.6)
        self._owed[stream.name] = owed % 1
        return int(owed)

    def _job(self, stream: Stream) -> NewJob:
        return NewJob(stream.name, stream.payload(self.day), self._tenant(), source="shop")

    def _event(self, stream: Stream) -> Event:
        return Event(stream.name, stream.payload(self.day), source="shop", tenant_id=self._tenant())

    def _tenant(self) -> UUID:
        return self.day.random.choice(self._tenants)


def _digests(by_slug: dict[str, UUID], now: datetime) -> list[NewJob]:
    """A digest for each tenant at each of the next half hours; the key keeps it to one."""
    half_hour = now.replace(minute=now.minute // 30 * 30, second=0, microsecond=0)
    slots = [half_hour + timedelta(minutes=30 * slot) for slot in range(1, DIGEST_SLOTS + 1)]
    return [
        NewJob(
            "send_digest",
            {"tenant": slug, "until": slot.isoformat()},
            tenant_id,
            idempotency_key=f"demo:digest:{slug}:{slot:%Y-%m-%dT%H:%M}",
            available_at=slot,
            source="shop",
        )
        for slot in slots
        for slug, tenant_id in by_slug.items()
    ]
