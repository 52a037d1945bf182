"""Producers: work is enqueued, alone or in numbers, and events are published and relayed."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from sqlalchemy import select

from tests.worker.queries.machine.base import Base, some
from tests.worker.queries.machine.cast import JOB_TYPES, KEYS, QUEUES, REGISTERED, SUBSCRIBERS, TAKEN, TENANTS, UNTAKEN
from worker.errors import KeyReused
from worker.model import Event
from worker.queries import outbox
from worker.queries.jobs import NewJob, enqueue, enqueue_many
from worker.queries.schema import platform_jobs

fields = {
    "job_type": st.sampled_from(JOB_TYPES),
    "queue": st.sampled_from(QUEUES),
    "max_attempts": st.integers(1, 3),
    "delay_seconds": st.sampled_from((0, 0, 0, 60)),
}
plain = st.builds(NewJob, **fields)
keyed = st.builds(
    NewJob,
    **fields,
    idempotency_key=st.sampled_from(KEYS),
    tenant_id=st.sampled_from(TENANTS),
    payload=st.sampled_from(({}, {}, {}, {"other": True})),
)
ENOUGH = 10
"""With more jobs, no single one would come far."""
FAN_OUT = select(platform_jobs.c.id, platform_jobs.c.event_id, platform_jobs.c.subscriber_id).where(
    platform_jobs.c.event_id.is_not(None)
)


class Producing(Base):
    """Rules of those who bring work."""

    @initialize(news=st.lists(keyed | plain, min_size=2, max_size=5))
    def begin(self, news: list[NewJob]) -> None:
        """Nothing happens without jobs."""
        self.enqueue_many(news)

    @rule(new=st.one_of(keyed, keyed, plain), retry_terminal=st.booleans())
    def enqueue(self, new: NewJob, retry_terminal: bool) -> None:
        """One job, or the one that has its key."""
        new = replace(new, id=self.new_id())
        self.asked += [new] if new.idempotency_key else []
        with self.transaction() as (conn, now):
            expected = self.model.enqueue(new, now, retry_terminal=retry_terminal)
            if expected is None:
                with pytest.raises(KeyReused):
                    enqueue(conn, REGISTERED, new, retry_terminal=retry_terminal, now=now)
                return
            assert enqueue(conn, REGISTERED, new, retry_terminal=retry_terminal, now=now) == expected

    @precondition(lambda self: self.asked)
    @rule(asked=some(lambda machine: machine.asked, at_most=1), retry_terminal=st.booleans())
    def ask_again(self, asked: list[NewJob], retry_terminal: bool) -> None:
        """The same request once more, whatever became of the job meanwhile."""
        self.enqueue(asked[0], retry_terminal)

    @precondition(lambda self: len(self.model.jobs) < ENOUGH)
    @rule(news=st.lists(plain | keyed, max_size=3))
    def enqueue_many(self, news: list[NewJob]) -> None:
        """Many at once, or none when one of them has another's key."""
        news = [replace(new, id=self.new_id()) for new in news]
        after = deepcopy(self.model)
        with self.transaction() as (conn, now):
            expected = [after.enqueue(new, now) for new in news]
            if None in expected:
                with pytest.raises(KeyReused):
                    enqueue_many(conn, REGISTERED, news, now=now)
                conn.rollback()
                return
            assert enqueue_many(conn, REGISTERED, news, now=now) == expected
        self.model = after

    @rule(
        number=st.integers(1, 2),
        event_type=st.sampled_from((TAKEN, TAKEN, UNTAKEN)),
        at_once=st.sampled_from((True, True, False)),
    )
    def publish(self, number: int, event_type: str, at_once: bool) -> None:
        """An event, perhaps one that was published before; the relay may be quick."""
        event = Event(event_type, event_id=f"{event_type}-{number}", occurred_at=self.now)
        with self.transaction() as (conn, now):
            is_new = self.model.publish(event, now)
            assert (outbox.publish(conn, event, now=now) is not None) == is_new
        if at_once:
            self.relay()

    @precondition(lambda self: any(not each.relayed_at for each in self.model.events.values()))
    @rule()
    def relay(self) -> None:
        """Events become jobs."""
        with self.transaction() as (conn, now):
            relayed = outbox.relay(conn, SUBSCRIBERS, now=now)
            made = [(row.id, row.event_id, row.subscriber_id) for row in conn.execute(FAN_OUT)]
            assert relayed == self.model.relay(made, now)
