"""Producers and an operator, who ask again until they have an answer, as everybody must who heard none (A-15)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from random import Random
from threading import Event as Bell
from threading import Thread
from typing import TypeVar

from sqlalchemy import select

from tests.worker.runtime.ledger import register
from worker.database import Connection, Engine, is_outage, is_retryable
from worker.handlers import Registry
from worker.model import Event, Status
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.dead_letters import replay
from worker.queries.jobs import NewJob, enqueue, enqueue_many
from worker.queries.outbox import publish
from worker.queries.schema import has_status, platform_jobs

Answer = TypeVar("Answer")

OPERATOR = Actor("operator")
DEAD = select(platform_jobs.c.id).where(has_status(Status.FAILED)).limit(100)
FAR_SECONDS = 86_400


class Traffic:
    """Bounded traffic through an engine whose answers may be lost; `sent` counts what has been promised to us."""

    def __init__(self, engine: Engine, choose: Random) -> None:
        self.sent: Counter[str] = Counter()
        self._engine = engine
        self._choose = choose
        self._registry = Registry()
        register(self._registry)
        self._stopping = Bell()
        self._thread = Thread(target=self._run, name="traffic", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End with the request that is under way, once it has its answer."""
        self._stopping.set()
        self._thread.join(60)
        assert not self._thread.is_alive(), "a request was never answered"

    def revive(self) -> None:
        """Replay what has died: with a budget this small, a few kills are enough."""
        with self._engine.connect() as conn:
            dead = list(conn.execute(DEAD).scalars())
        if dead:
            self._until_answered(lambda conn: replay(conn, job_ids=dead, actor=OPERATOR, reason="once more"))

    def _run(self) -> None:
        acts = (self._one, self._some, self._many, self._event, self._event, self._cancelled, self._revived)
        number = 0
        while not self._stopping.is_set():
            number += 1
            self._choose.choice(acts)(number)
            self._stopping.wait(0.05)

    def _one(self, number: int) -> None:
        fails = self._choose.choice((0, 0, 0, 1, 2))
        new = NewJob("ledger", {"fails": fails}, idempotency_key=f"one-{number}", max_attempts=self._budget())
        self._until_answered(lambda conn: enqueue(conn, self._registry.job_types, new))
        self.sent["jobs"] += 1

    def _some(self, number: int) -> None:
        """A job and an event in one transaction: both or neither."""
        new = NewJob("ledger", idempotency_key=f"some-{number}")
        event = Event("ledger.kept", {"n": number}, event_id=f"some-{number}")

        def both(conn: Connection) -> None:
            enqueue(conn, self._registry.job_types, new)
            publish(conn, event)

        self._until_answered(both)
        self.sent.update(jobs=1, events=1)

    def _many(self, number: int) -> None:
        news = [NewJob("ledger", idempotency_key=f"many-{number}-{each}") for each in range(20)]
        self._until_answered(lambda conn: enqueue_many(conn, self._registry.job_types, news))
        self.sent["jobs"] += 20

    def _event(self, number: int) -> None:
        self._until_answered(lambda conn: publish(conn, Event("ledger.kept", {"n": number}, event_id=f"e-{number}")))
        self.sent["events"] += 1

    def _cancelled(self, number: int) -> None:
        new = NewJob("ledger", idempotency_key=f"far-{number}", delay_seconds=FAR_SECONDS)
        made = self._until_answered(lambda conn: enqueue(conn, self._registry.job_types, new))
        self._until_answered(lambda conn: cancel(conn, job_ids=[made.id], actor=OPERATOR, reason="never mind"))
        self.sent["cancels"] += 1

    def _revived(self, _number: int) -> None:
        try:
            self.revive()
        except Exception as error:
            if not is_outage(error):
                raise

    def _budget(self) -> int:
        return self._choose.choice((1, 3, 20))

    def _until_answered(self, act: Callable[[Connection], Answer]) -> Answer:
        while True:
            try:
                with self._engine.begin() as conn:
                    return act(conn)
            except Exception as error:
                if not (is_outage(error) or is_retryable(error)):
                    raise
                time.sleep(0.1)
